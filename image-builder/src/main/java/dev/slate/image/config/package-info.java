/** Settings and folders of the image builder. */
@NullMarked
package dev.slate.image.config;

import org.jspecify.annotations.NullMarked;
