/** Tests of sandboxes on the assembled platform, with real gVisor. */
@NullMarked
package dev.slate.standalone.sandbox;

import org.jspecify.annotations.NullMarked;
