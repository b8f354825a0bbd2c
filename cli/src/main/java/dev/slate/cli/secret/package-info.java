/** Commands on secrets. */
@NullMarked
package dev.slate.cli.secret;

import org.jspecify.annotations.NullMarked;
