/** One record for every connection, kept as JSON lines per sandbox. */
@NullMarked
package dev.slate.egress.audit;

import org.jspecify.annotations.NullMarked;
