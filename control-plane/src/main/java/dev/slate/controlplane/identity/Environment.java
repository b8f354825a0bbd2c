package dev.slate.controlplane.identity;

/** The place of all other things: team, project, environment. */
public record Environment(String id, String team, String project, String name) {}
