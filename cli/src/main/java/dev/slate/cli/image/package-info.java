/** Commands on images. */
@NullMarked
package dev.slate.cli.image;

import org.jspecify.annotations.NullMarked;
