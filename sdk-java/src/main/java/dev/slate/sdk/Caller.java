package dev.slate.sdk;

import java.util.List;

/** The signed-in user or program, and where it works. Eight parts, because a sign-in has that many. */
public record Caller(
        String subject,
        String displayName,
        String team,
        String project,
        String environmentId,
        String environmentName,
        String role,
        List<String> permissions) {}
