/** Who may use this install: its environment, its first owner, and service tokens for programs. */
@NullMarked
package dev.slate.controlplane.identity;

import org.jspecify.annotations.NullMarked;
