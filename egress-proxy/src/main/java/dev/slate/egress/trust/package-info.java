/** The platform certificate authority, the leaf certificates it signs and what sandboxes need to trust them. */
@NullMarked
package dev.slate.egress.trust;

import org.jspecify.annotations.NullMarked;
