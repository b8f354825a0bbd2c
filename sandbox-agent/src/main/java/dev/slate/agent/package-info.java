/** Carries the program that runs as PID 1 inside every sandbox. */
@NullMarked
package dev.slate.agent;

import org.jspecify.annotations.NullMarked;
