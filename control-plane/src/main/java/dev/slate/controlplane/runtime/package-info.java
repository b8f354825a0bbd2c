/** What runs sandboxes: a port, with one implementation per kind of machine. */
@NullMarked
package dev.slate.controlplane.runtime;

import org.jspecify.annotations.NullMarked;
