/** What a sandbox may reach: immutable policies, the snapshot of all sandboxes, and the address guard. */
@NullMarked
package dev.slate.egress.policy;

import org.jspecify.annotations.NullMarked;
