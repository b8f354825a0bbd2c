/** The egress proxy: the only way out of a sandbox, and the resolver of all sandboxes. */
@NullMarked
package dev.slate.egress;

import org.jspecify.annotations.NullMarked;
