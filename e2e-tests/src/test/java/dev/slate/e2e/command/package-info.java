/** Commands in sandboxes, and what must hold of each. */
@NullMarked
package dev.slate.e2e.command;

import org.jspecify.annotations.NullMarked;
