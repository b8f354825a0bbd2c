/** New versions: bodies first, then one compare-and-swap on a ref. */
@NullMarked
package dev.slate.volume.commit;

import org.jspecify.annotations.NullMarked;
