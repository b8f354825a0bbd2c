/** Tests of the records of commands that need the assembled platform. */
@NullMarked
package dev.slate.controlplane.exec;

import org.jspecify.annotations.NullMarked;
