/** Terminals and ports of sandboxes, used by real programs. */
@NullMarked
package dev.slate.e2e.interactive;

import org.jspecify.annotations.NullMarked;
