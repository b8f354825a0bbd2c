package dev.slate.egress.policy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostPattern;
import java.util.Optional;
import java.util.Set;

/** Which hosts a sandbox may reach, before any look at addresses. */
public sealed interface NetworkPolicy {

    /** The whole public internet; private and metadata addresses stay out of reach. */
    record Open() implements NetworkPolicy {}

    /** Only what is listed. An empty list is nothing at all, not even DNS. */
    record Allowlist(Set<HostPattern> hosts) implements NetworkPolicy {
        public Allowlist {
            hosts = Set.copyOf(hosts);
        }
    }

    /** The rule that allows a host on a port, as text for the audit; empty if none does. */
    default Optional<String> allowing(Host host, int port) {
        return switch (this) {
            case Open _ -> Optional.of("open");
            case Allowlist(var hosts) ->
                HostPattern.candidates(host, port)
                        .filter(hosts::contains)
                        .findFirst()
                        .map(HostPattern::toString);
        };
    }

    /** Whether nothing can ever be reached. */
    default boolean isNothing() {
        return this instanceof Allowlist(var hosts) && hosts.isEmpty();
    }
}
