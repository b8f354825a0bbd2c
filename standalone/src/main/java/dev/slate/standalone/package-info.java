/** The four services assembled in one JVM, with a PostgreSQL server of its own unless one is configured. */
@NullMarked
package dev.slate.standalone;

import org.jspecify.annotations.NullMarked;
