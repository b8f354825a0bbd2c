package dev.slate.controlplane.runtime;

import dev.slate.common.secret.SecretValue;

/** Where the agent of a sandbox listens, and the token that it asks for. */
public record AgentAddress(String host, int port, SecretValue token) {}
