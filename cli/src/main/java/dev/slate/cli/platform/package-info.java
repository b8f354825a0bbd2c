/** Starts, stops and checks the platform of one host. */
@NullMarked
package dev.slate.cli.platform;

import org.jspecify.annotations.NullMarked;
