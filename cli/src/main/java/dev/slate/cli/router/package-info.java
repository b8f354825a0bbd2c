/** Commands on the model gateway. */
@NullMarked
package dev.slate.cli.router;

import org.jspecify.annotations.NullMarked;
