/** Failures with stable codes, and their one translation to each protocol. */
@NullMarked
package dev.slate.common.error;

import org.jspecify.annotations.NullMarked;
