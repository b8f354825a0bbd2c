/** Images on disk: an OCI layout with all blobs, and the layers unpacked for overlay mounts. */
@NullMarked
package dev.slate.image.layout;

import org.jspecify.annotations.NullMarked;
