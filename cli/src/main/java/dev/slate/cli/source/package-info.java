/** Runs Java source files with the library on their class path. */
@NullMarked
package dev.slate.cli.source;

import org.jspecify.annotations.NullMarked;
