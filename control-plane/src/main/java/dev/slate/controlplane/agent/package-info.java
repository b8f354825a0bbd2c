/** Speaks to the agent inside a sandbox, whose answers are untrusted input. */
@NullMarked
package dev.slate.controlplane.agent;

import org.jspecify.annotations.NullMarked;
