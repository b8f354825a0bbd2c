/** Pure rules for new versions: edits by path and the three-way merge. */
@NullMarked
package dev.slate.volume.version;

import org.jspecify.annotations.NullMarked;
