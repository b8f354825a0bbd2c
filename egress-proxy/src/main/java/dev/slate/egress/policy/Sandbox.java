package dev.slate.egress.policy;

import dev.slate.egress.credential.Credential;
import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import java.net.Inet4Address;
import java.util.List;
import java.util.Optional;
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
        if (allowed.isEmpty() && !policy.observe()) {
            return new Decision.Deny(Reason.HOST_NOT_ALLOWED, nothing());
        }
        var wouldDeny = allowed.isEmpty() ? Optional.of(Reason.HOST_NOT_ALLOWED) : Optional.<Reason>empty();
        var permission = allowed.orElseGet(() -> new Permission(nothing(), true, Optional.empty()));
        var rule = permission.rule();
        if (!fits(port, protocol, permission) || (host.equals(platform) && (port != 443 || protocol != Protocol.TLS))) {
            return new Decision.Deny(Reason.WRONG_PROTOCOL, rule);
        }
        if (host.equals(platform)) {
            return new Decision.Gateway(rule, wouldDeny);
        }
        var terminate =
                protocol == Protocol.TLS && (permission.isInspected() || (port == 443 && hasCredentialFor(host)));
        return terminate ? new Decision.Terminate(rule) : new Decision.Splice(rule, wouldDeny);
    }

    /** Decides on one request to a host that {@link #decide(Host, int, Protocol, HostName)} let through. */
    public RequestDecision decide(Host host, int port, RequestFacts request) {
        var permission = policy.allowing(host, port);
        var decision = permission
                .flatMap(Permission::entry)
                .map(entry -> entry.decide(request))
                .orElseGet(() -> new RequestDecision.Pass(
                        List.of(), permission.map(Permission::rule).orElseGet(this::nothing), Optional.empty()));
        return decision instanceof RequestDecision.Refuse(var reason, var rule) && policy.observe()
                ? new RequestDecision.Pass(List.of(), rule, Optional.of(reason))
                : decision;
    }

    /** Which addresses it may dial. */
    public AddressRules addressRules() {
        return new AddressRules(privateHosts, policy.routes(), policy.denied());
    }

    /** Whether some credential is bound to this host. */
    public boolean hasCredentialFor(Host host) {
        return !credentialsFor(host).isEmpty();
    }

    /** The credentials that are bound to this host. */
    public List<Credential> credentialsFor(Host host) {
        return credentials.stream()
                .filter(credential ->
                        host instanceof HostName name && credential.hosts().contains(name))
                .toList();
    }

    private String nothing() {
        return "none of generation " + generation;
    }

    private static boolean fits(int port, Protocol protocol, Permission permission) {
        return switch (protocol) {
            case TLS -> port != 80;
            case HTTP -> port != 443;
            case TCP -> port != 80 && port != 443 && permission.anyProtocol() && !permission.isInspected();
        };
    }
}
