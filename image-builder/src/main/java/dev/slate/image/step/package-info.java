/** Makes the layer of one step. */
@NullMarked
package dev.slate.image.step;

import org.jspecify.annotations.NullMarked;
