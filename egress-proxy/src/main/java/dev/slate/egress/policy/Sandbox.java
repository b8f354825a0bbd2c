package dev.slate.egress.policy;

import dev.slate.egress.credential.Credential;
import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import java.net.Inet4Address;
import java.util.List;
import java.util.Set;

/**
 * Everything the proxy knows of one sandbox, as of one generation of its policy.
 *
 * @param privateHosts names that may have private addresses for this sandbox
 */
public record Sandbox(
        String id,
        Inet4Address source,
        long generation,
        NetworkPolicy policy,
        List<Credential> credentials,
        Set<HostName> privateHosts) {

    /** A sandbox for which no name may have a private address. */
    public Sandbox(
            String id, Inet4Address source, long generation, NetworkPolicy policy, List<Credential> credentials) {
        this(id, source, generation, policy, credentials, Set.of());
    }

    public Sandbox {
        privateHosts = Set.copyOf(privateHosts);
        credentials = List.copyOf(credentials);
        for (var credential : credentials) {
            for (var host : credential.hosts()) {
                if (policy.allowing(host, 443).isEmpty()) {
                    throw new IllegalArgumentException("credential " + credential.name() + ": host " + host
                            + " is outside the network policy (expected: a host that the policy allows on port 443)");
                }
            }
        }
    }

    /** Decides on a destination. The platform's own name is served only over TLS and only by the gateways. */
    public Decision decide(Host host, int port, Protocol protocol, HostName platform) {
        var allowed = policy.allowing(host, port);
        if (allowed.isEmpty()) {
            return new Decision.Deny(Reason.HOST_NOT_ALLOWED, "none of generation " + generation);
        }
        var rule = allowed.get();
        if (!fits(port, protocol, rule) || (host.equals(platform) && (port != 443 || protocol != Protocol.TLS))) {
            return new Decision.Deny(Reason.WRONG_PROTOCOL, rule);
        }
        if (host.equals(platform)) {
            return new Decision.Gateway(rule);
        }
        return port == 443 && hasCredentialFor(host) ? new Decision.Terminate(rule) : new Decision.Splice(rule);
    }

    /** Whether some credential is bound to this host. */
    public boolean hasCredentialFor(Host host) {
        return host instanceof HostName name
                && credentials.stream().anyMatch(c -> c.hosts().contains(name));
    }

    private boolean fits(int port, Protocol protocol, String rule) {
        return switch (protocol) {
            case TLS -> port != 80;
            case HTTP -> port != 443;
            case TCP -> port != 80 && port != 443 && (policy instanceof NetworkPolicy.Open || rule.contains(":"));
        };
    }
}
