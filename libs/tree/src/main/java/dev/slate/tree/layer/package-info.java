/** OCI image layers: reproducible writing, and safe extraction of tars that somebody else made. */
@NullMarked
package dev.slate.tree.layer;

import org.jspecify.annotations.NullMarked;
