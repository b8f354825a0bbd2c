package dev.slate.controlplane.policy;

import java.time.Instant;

/**
 * One more destination for some time.
 *
 * @param entry a host, or a CIDR with optional ports, in canonical form
 * @param by who granted it, for people
 */
public record Grant(String entry, Instant expiresAt, String by) {
    /** Whether it is about addresses and not about a name. */
    public boolean isRoute() {
        return entry.contains("/");
    }
}
