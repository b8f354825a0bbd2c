/** Commands and files in running sandboxes, over gRPC and HTTP. */
@NullMarked
package dev.slate.controlplane.exec;

import org.jspecify.annotations.NullMarked;
