/** Starts the platform under test, and servers of the outside world that it talks to. */
@NullMarked
package dev.slate.e2e.stack;

import org.jspecify.annotations.NullMarked;
