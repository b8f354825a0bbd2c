package dev.slate.controlplane.secret;

/** A secret of an environment has another value now, or none. */
public record SecretChanged(String environment, String name) {}
