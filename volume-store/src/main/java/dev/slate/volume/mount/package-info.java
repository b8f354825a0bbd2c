/** The node side: overlay mounts of versions, and sealing what was written into new ones. */
@NullMarked
package dev.slate.volume.mount;

import org.jspecify.annotations.NullMarked;
