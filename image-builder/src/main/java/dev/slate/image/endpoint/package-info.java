/** The gRPC services of the image builder. */
@NullMarked
package dev.slate.image.endpoint;

import org.jspecify.annotations.NullMarked;
