/** The only bridge between virtual threads and Hibernate Reactive. */
@NullMarked
package dev.slate.common.db;

import org.jspecify.annotations.NullMarked;
