/** Turns recipes into cached OCI images. */
@NullMarked
package dev.slate.image;

import org.jspecify.annotations.NullMarked;
