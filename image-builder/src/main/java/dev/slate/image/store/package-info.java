/** What the database knows of images, bases and steps. */
@NullMarked
package dev.slate.image.store;

import org.jspecify.annotations.NullMarked;
