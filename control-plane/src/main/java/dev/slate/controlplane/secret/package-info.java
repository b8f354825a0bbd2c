/** Named values of an environment, encrypted at rest and shown only to those who may decrypt them. */
@NullMarked
package dev.slate.controlplane.secret;

import org.jspecify.annotations.NullMarked;
