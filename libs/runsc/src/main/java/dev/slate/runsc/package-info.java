/** Runs gVisor containers on one Linux host: processes, control groups, networks and mounts. */
@NullMarked
package dev.slate.runsc;

import org.jspecify.annotations.NullMarked;
