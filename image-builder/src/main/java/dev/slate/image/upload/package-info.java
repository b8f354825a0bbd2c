/** Takes the bytes of local files before a build. */
@NullMarked
package dev.slate.image.upload;

import org.jspecify.annotations.NullMarked;
