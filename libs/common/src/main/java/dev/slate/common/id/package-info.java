/** Identifiers. */
@NullMarked
package dev.slate.common.id;

import org.jspecify.annotations.NullMarked;
