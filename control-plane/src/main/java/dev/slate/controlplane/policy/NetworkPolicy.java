package dev.slate.controlplane.policy;

import java.util.Collection;
import java.util.Collections;
import java.util.SequencedSet;
import java.util.TreeSet;

/** What a sandbox may reach. Private, link-local and metadata addresses are never part of it. */
public sealed interface NetworkPolicy {
    /** What holds when a specification says nothing: the public internet. */
    static NetworkPolicy shippedDefault() {
        return new Open();
    }

    /** The public internet. */
    record Open() implements NetworkPolicy {}

    /** The listed hosts; an empty list is nothing, not even names. */
    record Allowlist(SequencedSet<HostRule> hosts) implements NetworkPolicy {
        public Allowlist {
            hosts = Collections.unmodifiableSequencedSet(new TreeSet<>(hosts));
        }
    }

    /** This policy with hosts that credentials are bound to, which a sandbox with a credential must reach. */
    default NetworkPolicy including(Collection<HostRule> credentialHosts) {
        return switch (this) {
            case Open open -> open;
            case Allowlist(var hosts) -> {
                TreeSet<HostRule> all = new TreeSet<>(hosts);
                all.addAll(credentialHosts);
                yield new Allowlist(all);
            }
        };
    }
}
