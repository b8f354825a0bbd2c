/** Settings that every service needs. */
@NullMarked
package dev.slate.common.config;

import org.jspecify.annotations.NullMarked;
