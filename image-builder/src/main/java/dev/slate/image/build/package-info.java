/** Makes images from recipes, reusing every layer that exists. */
@NullMarked
package dev.slate.image.build;

import org.jspecify.annotations.NullMarked;
