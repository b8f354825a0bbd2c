/** Values that must not be printed. */
@NullMarked
package dev.slate.common.secret;

import org.jspecify.annotations.NullMarked;
