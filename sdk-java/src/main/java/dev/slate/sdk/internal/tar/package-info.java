/** Directories as tar streams: own code, because the usual libraries lose names that are not UTF-8. */
@NullMarked
package dev.slate.sdk.internal.tar;

import org.jspecify.annotations.NullMarked;
