/** Doubles that the tests of several modules share. */
@NullMarked
package dev.slate.testing;

import org.jspecify.annotations.NullMarked;
