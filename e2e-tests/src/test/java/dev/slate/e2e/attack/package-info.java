/** Tries to break each promise from inside a sandbox. */
@NullMarked
package dev.slate.e2e.attack;

import org.jspecify.annotations.NullMarked;
