/** What a build says while it runs, and how several callers share one run. */
@NullMarked
package dev.slate.image.progress;

import org.jspecify.annotations.NullMarked;
