/** Who is calling, what they may do, and how tokens are signed and checked. */
@NullMarked
package dev.slate.common.auth;

import org.jspecify.annotations.NullMarked;
