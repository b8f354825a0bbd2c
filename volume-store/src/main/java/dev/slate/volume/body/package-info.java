/** File bodies and trees on the disk, apart for each environment. */
@NullMarked
package dev.slate.volume.body;

import org.jspecify.annotations.NullMarked;
