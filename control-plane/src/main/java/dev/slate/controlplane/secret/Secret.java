package dev.slate.controlplane.secret;

import java.time.Instant;

/** A secret without its value. */
record Secret(SecretName name, Instant createdAt, Instant updatedAt) {}
