/** What users are promised, each statement through the SDK or the command line. */
@NullMarked
package dev.slate.e2e.journey;

import org.jspecify.annotations.NullMarked;
