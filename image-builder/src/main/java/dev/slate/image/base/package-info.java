/** Finds or makes the image that a recipe starts from. */
@NullMarked
package dev.slate.image.base;

import org.jspecify.annotations.NullMarked;
