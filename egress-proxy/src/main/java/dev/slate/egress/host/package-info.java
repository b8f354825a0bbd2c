/** Names and addresses a sandbox may ask for, in the one canonical form that every other package compares. */
@NullMarked
package dev.slate.egress.host;

import org.jspecify.annotations.NullMarked;
