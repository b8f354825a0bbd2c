package dev.slate.egress.policy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.host.IpLiteral;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a sandbox may reach, before any look at the addresses of names. Of the entries for a host the narrowest decides
 * alone. A route lets through connections to addresses and never a name, so it cannot switch off what an entry says of
 * a host.
 *
 * @param open whether all of the public internet is reachable, or only what is listed
 * @param observe whether what entries and rules refuse is let through and only noted
 */
public record NetworkPolicy(
        boolean open, Map<HostPattern, HostEntry> hosts, List<Route> routes, List<Cidr> denied, boolean observe) {

    private static final int MOST_ENTRIES = 1000;

    public NetworkPolicy {
        hosts = Map.copyOf(hosts);
        routes = List.copyOf(routes);
        denied = List.copyOf(denied);
        var entries = hosts.size() + routes.size() + denied.size();
        if (entries > MOST_ENTRIES) {
            throw new IllegalArgumentException("network policy: " + entries + " entries (expected: at most 1000)");
        }
        for (var pattern : hosts.keySet()) {
            if (pattern.host() instanceof IpLiteral(var address)) {
                denied.stream()
                        .filter(range -> range.contains(address.getAddress()))
                        .findFirst()
                        .ifPresent(range -> {
                            throw new IllegalArgumentException("allowed host: " + pattern
                                    + " (expected: an address outside of " + range + ", which the policy denies)");
                        });
            }
        }
        for (var route : routes) {
            denied.stream()
                    .filter(range -> range.contains(route.range()))
                    .findFirst()
                    .ifPresent(range -> {
                        throw new IllegalArgumentException("route: " + route + " (expected: a range outside of " + range
                                + ", which the policy denies)");
                    });
        }
    }

    /** The whole public internet. */
    public static NetworkPolicy openInternet() {
        return new NetworkPolicy(true, Map.of(), List.of(), List.of(), false);
    }

    /** Only these hosts. */
    public static NetworkPolicy allowing(Collection<HostPattern> patterns) {
        return new NetworkPolicy(
                false, entries(patterns.stream().map(HostEntry::plain).toList()), List.of(), List.of(), false);
    }

    /**
     * Entries by their pattern.
     *
     * @throws IllegalArgumentException if a pattern is there twice, because then it is not clear which one counts
     */
    public static Map<HostPattern, HostEntry> entries(Collection<HostEntry> entries) {
        var byPattern = new HashMap<HostPattern, HostEntry>();
        for (var entry : entries) {
            if (byPattern.put(entry.pattern(), entry) != null) {
                throw new IllegalArgumentException(
                        "allowed host: " + entry.pattern() + " is listed twice (expected: once)");
            }
        }
        return byPattern;
    }

    /**
     * What lets a host through on a port; empty if nothing does. Where all is open, an entry without a port stands for
     * all ports: a rule that held for two of them would be none.
     */
    public Optional<Permission> allowing(Host host, int port) {
        var candidates = HostPattern.candidates(host, port);
        return (open ? Stream.concat(candidates, HostPattern.onAnyPort(host)) : candidates)
                .map(hosts::get)
                .filter(Objects::nonNull)
                .findFirst()
                .map(entry -> new Permission(
                        entry.pattern().toString(), entry.pattern().port().isPresent() || open, Optional.of(entry)))
                .or(() -> host instanceof IpLiteral literal ? routeTo(literal, port) : Optional.empty())
                .or(() -> open ? Optional.of(new Permission("open", true, Optional.empty())) : Optional.empty());
    }

    /** Whether nothing can ever be reached by a name. */
    public boolean isNothing() {
        return !open && !observe && hosts.isEmpty();
    }

    /**
     * Whether a name alone decides, whatever address was dialled: where all is open, and where a name that is not listed
     * is let through.
     */
    public boolean isByNameAlone(Host host, int port) {
        return open || (observe && allowing(host, port).isEmpty());
    }

    private Optional<Permission> routeTo(IpLiteral literal, int port) {
        return routes.stream()
                .filter(route -> route.covers(literal.address(), port))
                .findFirst()
                .map(route -> new Permission("route " + route, true, Optional.empty()));
    }
}
