/** The clock that the services share. */
@NullMarked
package dev.slate.common.time;

import org.jspecify.annotations.NullMarked;
