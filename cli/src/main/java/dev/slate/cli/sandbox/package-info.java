/** Commands on sandboxes. */
@NullMarked
package dev.slate.cli.sandbox;

import org.jspecify.annotations.NullMarked;
