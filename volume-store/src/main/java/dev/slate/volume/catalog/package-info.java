/** Volumes, versions and refs in the database; names and numbers, no bytes. */
@NullMarked
package dev.slate.volume.catalog;

import org.jspecify.annotations.NullMarked;
