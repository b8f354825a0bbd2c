package dev.slate.egress.policy;

import java.util.Optional;

/**
 * That a policy lets a destination through.
 *
 * @param rule the entry that does, as text for the audit
 * @param anyProtocol whether more than TLS and HTTP may be spoken
 * @param entry the host entry; empty if the policy is open or a route decided
 */
public record Permission(String rule, boolean anyProtocol, Optional<HostEntry> entry) {

    boolean isInspected() {
        return entry.filter(HostEntry::isInspected).isPresent();
    }
}
