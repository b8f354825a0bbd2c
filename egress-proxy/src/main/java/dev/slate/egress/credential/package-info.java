/** Placeholders that stand for secrets inside a sandbox, their swap on the way out and the scrubbing of answers. */
@NullMarked
package dev.slate.egress.credential;

import org.jspecify.annotations.NullMarked;
