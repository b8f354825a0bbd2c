/** The public endpoints: gRPC for metadata, HTTP for bytes. */
@NullMarked
package dev.slate.volume.api;

import org.jspecify.annotations.NullMarked;
