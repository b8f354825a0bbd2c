package dev.slate.controlplane.identity;

import dev.slate.common.auth.Permission;
import java.time.Instant;
import java.util.Set;

/** The login of a program: a client id, whose secret is known to the program only, and what it may do. */
record ServiceToken(
        String clientId,
        String environment,
        String description,
        Set<Permission> permissions,
        Instant createdAt,
        boolean revoked) {
    /** What all client ids start with; no user has such a subject. */
    static final String PREFIX = "sc-";

    ServiceToken {
        permissions = Set.copyOf(permissions);
    }
}
