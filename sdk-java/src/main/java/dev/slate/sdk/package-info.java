/** The public library: sandboxes, images, volumes, secrets and the model gateway behind blocking calls. */
@NullMarked
package dev.slate.sdk;

import org.jspecify.annotations.NullMarked;
