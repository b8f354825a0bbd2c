package dev.slate.controlplane.agent;

import java.time.Duration;

/** What an agent says about itself. */
public record AgentHealth(String version, Duration uptime, int running, int known, int pid) {}
