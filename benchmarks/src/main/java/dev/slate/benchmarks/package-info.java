/** Measures the platform beside bare peers: same work, same run. */
@NullMarked
package dev.slate.benchmarks;

import org.jspecify.annotations.NullMarked;
