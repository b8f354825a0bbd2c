/** Commands on volumes. */
@NullMarked
package dev.slate.cli.volume;

import org.jspecify.annotations.NullMarked;
