/** What an image is made of: checked values, and the digests that name them. */
@NullMarked
package dev.slate.image.recipe;

import org.jspecify.annotations.NullMarked;
