/** The life of a sandbox: its specification, its states, and the loop that makes the desired state true. */
@NullMarked
package dev.slate.controlplane.sandbox;

import org.jspecify.annotations.NullMarked;
