package dev.slate.sdk;

import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.api.egress.v1.PortRange;
import dev.slate.api.egress.v1.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a sandbox may reach: the open internet, or the listed hosts and nothing else.
 *
 * <p>A host is {@code api.example.com}, {@code *.example.com} (any depth, not {@code example.com} itself) or an IPv4
 * address, each with an optional {@code :port}; without one it is 443 and 80. Of several entries for a host the narrowest
 * decides alone. Private addresses take a {@link #route}; loopback, link-local and metadata addresses are never
 * reachable. The platform checks a policy when it gets it. Immutable: each method returns another policy.
 */
public final class NetworkPolicy {

    private static final NetworkPolicy OPEN = new NetworkPolicy(dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
            .setMode(Mode.MODE_OPEN)
            .build());

    private final dev.slate.api.egress.v1.NetworkPolicy message;

    private NetworkPolicy(dev.slate.api.egress.v1.NetworkPolicy message) {
        this.message = message;
    }

    /** The public internet. */
    public static NetworkPolicy open() {
        return OPEN;
    }

    /** These hosts only; with none, nothing is reachable and no name resolves. */
    public static NetworkPolicy allowedHosts(String... hosts) {
        return allowedHosts(List.of(hosts));
    }

    public static NetworkPolicy allowedHosts(List<String> hosts) {
        return new NetworkPolicy(dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                .setMode(Mode.MODE_ALLOWLIST)
                .addAllAllowedHosts(hosts)
                .build());
    }

    /**
     * Reads the form that {@link #toJson} writes and {@code slate sandbox policy set --policy} takes.
     *
     * @throws IllegalArgumentException if it is not JSON of this form
     */
    public static NetworkPolicy fromJson(String json) {
        return new NetworkPolicy(PolicyJson.read(json));
    }

    /** One more host, whose requests are looked at. */
    public NetworkPolicy host(HostRule rule) {
        return new NetworkPolicy(
                message.toBuilder().addHostRules(rule.message()).build());
    }

    /**
     * Addresses that may be reached although they are private, by themselves or by an allowed name, for example {@code
     * 10.1.0.0/16} with ports {@code 5432} and {@code 8000-8100}, or in one text {@code 10.1.0.0/16:5432,8000-8100}; all ports without any.
     */
    public NetworkPolicy route(String cidr, String... ports) {
        var route = ports.length == 0 ? routeMessage(cidr) : routeMessage(cidr, List.of(ports));
        return new NetworkPolicy(message.toBuilder().addRoutes(route).build());
    }

    /** Addresses that are never reachable, whatever else is listed. */
    public NetworkPolicy deny(String cidr) {
        return new NetworkPolicy(message.toBuilder().addDeniedCidrs(cidr).build());
    }

    /**
     * Lets through what would be refused, and marks it in {@link Sandbox#egress}. Private and metadata addresses, denied
     * ranges and the conditions of credentials stay in force.
     */
    public NetworkPolicy observing() {
        return new NetworkPolicy(message.toBuilder().setObserve(true).build());
    }

    public boolean isOpen() {
        return message.getMode() == Mode.MODE_OPEN;
    }

    /** Hosts that are let through as they are; empty when open. */
    public List<String> hosts() {
        return List.copyOf(message.getAllowedHostsList());
    }

    /** Hosts whose requests are looked at. */
    public List<HostRule> hostRules() {
        return message.getHostRulesList().stream().map(HostRule::new).toList();
    }

    /** For example {@code 10.1.0.0/16:5432,8000-8100}. */
    public List<String> routes() {
        return message.getRoutesList().stream().map(NetworkPolicy::routeText).toList();
    }

    public List<String> deniedCidrs() {
        return List.copyOf(message.getDeniedCidrsList());
    }

    /** Whether it only notes what it would refuse. */
    public boolean isObserving() {
        return message.getObserve();
    }

    /** The same as JSON, for a file. */
    public String toJson() {
        return PolicyJson.write(this, message);
    }

    /** {@code 10.1.0.0/16:5432,8000-8100}. */
    static Route routeMessage(String text) {
        int colon = text.indexOf(':', Math.max(0, text.indexOf('/')));
        return colon < 0
                ? routeMessage(text, List.of())
                : routeMessage(
                        text.substring(0, colon),
                        List.of(text.substring(colon + 1).split(",", -1)));
    }

    static NetworkPolicy of(dev.slate.api.egress.v1.NetworkPolicy message) {
        return new NetworkPolicy(message);
    }

    dev.slate.api.egress.v1.NetworkPolicy message() {
        return message;
    }

    private static Route routeMessage(String cidr, List<String> ports) {
        var route = Route.newBuilder().setCidr(cidr);
        for (var range : ports) {
            if (!range.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
                throw new IllegalArgumentException("ports: " + range + " (expected: for example 5432 or 8000-8100)");
            }
            var ends = range.split("-", -1);
            route.addPorts(PortRange.newBuilder()
                    .setFirst(Integer.parseInt(ends[0]))
                    .setLast(Integer.parseInt(ends[ends.length - 1])));
        }
        return route.build();
    }

    private static String routeText(Route route) {
        var ports = route.getPortsList().stream()
                .map(range -> range.getLast() == 0 || range.getLast() == range.getFirst()
                        ? Integer.toString(range.getFirst())
                        : range.getFirst() + "-" + range.getLast())
                .collect(Collectors.joining(","));
        return route.getCidr() + (ports.isEmpty() ? "" : ":" + ports);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NetworkPolicy policy && message.equals(policy.message);
    }

    @Override
    public int hashCode() {
        return message.hashCode();
    }

    /** One line for people. */
    @Override
    public String toString() {
        var parts = new ArrayList<String>();
        parts.add(isOpen() ? "open" : "allowed hosts " + hosts());
        hostRules().forEach(rule -> parts.add(rule.toString()));
        routes().forEach(route -> parts.add("route " + route));
        deniedCidrs().forEach(range -> parts.add("never " + range));
        return (isObserving() ? "OBSERVED, NOT ENFORCED: " : "") + String.join(", ", parts);
    }
}
