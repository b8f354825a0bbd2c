/** Pulls images from registries. */
@NullMarked
package dev.slate.image.registry;

import org.jspecify.annotations.NullMarked;
