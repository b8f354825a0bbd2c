package dev.slate.sdk;

import java.time.Instant;
import java.util.Optional;

/**
 * One thing that is in force for a sandbox, and why.
 *
 * @param entry a host, a CIDR with ports, or a few words
 * @param kind open, host, route or denied
 * @param source policy, default, credential, grant or platform
 * @param detail for people; may be empty
 * @param expiresAt when a grant ends
 */
public record PolicyEntry(String entry, String kind, String source, String detail, Optional<Instant> expiresAt) {

    static PolicyEntry of(dev.slate.api.egress.v1.PolicyEntry message) {
        return new PolicyEntry(
                message.getEntry(),
                message.getKind(),
                message.getSource(),
                message.getDetail(),
                Wire.optional(message.hasExpiresAt(), message.getExpiresAt()));
    }
}
