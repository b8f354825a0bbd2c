/** Runs sandboxes on this machine, with gVisor's {@code runsc} driven directly. */
@NullMarked
package dev.slate.controlplane.runtime.local;

import org.jspecify.annotations.NullMarked;
