/** What the tests of all features share. */
@NullMarked
package dev.slate.controlplane;

import org.jspecify.annotations.NullMarked;
