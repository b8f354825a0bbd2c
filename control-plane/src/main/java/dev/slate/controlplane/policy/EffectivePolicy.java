package dev.slate.controlplane.policy;

import dev.slate.api.egress.v1.HostRule;
import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.api.egress.v1.PolicyEntry;
import dev.slate.api.egress.v1.PortRange;
import dev.slate.api.egress.v1.Route;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is in force for a sandbox, put together from what was asked for, the hosts of credentials and what was granted
 * for some time, and why each part of it is there. Immutable.
 */
public final class EffectivePolicy {
    private static final String NEVER = "private, link-local, loopback and metadata addresses";

    private final dev.slate.api.egress.v1.NetworkPolicy message;
    private final List<PolicyEntry> entries = new ArrayList<>();

    /**
     * @param asked empty: the default
     * @param credentials host to the secret that is bound to it
     */
    public EffectivePolicy(Optional<NetworkPolicy> asked, Map<String, String> credentials, List<Grant> grants) {
        var builder = NetworkPolicyProto.render(asked.orElse(NetworkPolicy.shippedDefault())).toBuilder();
        String source = asked.isPresent() ? "policy" : "default";
        boolean open = builder.getMode() == Mode.MODE_OPEN;
        if (open) {
            note("the public internet", "open", source, "");
        }
        builder.getAllowedHostsList().forEach(host -> note(host, "host", source, hint(builder, host)));
        builder.getHostRulesList().forEach(rule -> note(rule.getHost(), "host", source, describe(rule)));
        builder.getRoutesList().forEach(route -> note(text(route), "route", source, ""));
        new TreeMap<>(credentials).forEach((host, secret) -> {
            note(host, "host", "credential", "secret " + secret);
            if (!open && !isListed(builder, host)) {
                builder.addAllowedHosts(host);
            }
        });
        grants.forEach(grant -> add(builder, grant, open));
        builder.getDeniedCidrsList().forEach(range -> note(range, "denied", source, "wins over everything else"));
        note(
                NEVER,
                "denied",
                "platform",
                builder.getRoutesCount() > 0 ? "except private ones that a route covers" : "");
        List<String> sorted = builder.getAllowedHostsList().stream().sorted().toList();
        this.message = builder.clearAllowedHosts().addAllAllowedHosts(sorted).build();
    }

    /** The policy as the proxy gets it, apart from its secrets. */
    public NetworkPolicy policy() {
        return NetworkPolicyProto.parse(message);
    }

    /** Why each part is there. */
    public List<PolicyEntry> entries() {
        return List.copyOf(entries);
    }

    /** What a grant of this destination alone would be, for the proxy to check. */
    public static NetworkPolicy only(String destination) {
        var builder = dev.slate.api.egress.v1.NetworkPolicy.newBuilder().setMode(Mode.MODE_ALLOWLIST);
        if (destination.contains("/")) {
            builder.addRoutes(route(destination));
        } else {
            builder.addAllowedHosts(destination);
        }
        return NetworkPolicyProto.parse(builder.build());
    }

    /** The one destination of a policy made by {@link #only}, in canonical form. */
    public static String destination(NetworkPolicy only) {
        var checked = NetworkPolicyProto.render(only);
        return checked.getRoutesCount() > 0 ? text(checked.getRoutes(0)) : checked.getAllowedHosts(0);
    }

    /** Whether a policy has rules for exactly this host, which a grant of the host would switch off. */
    public static boolean hasRules(NetworkPolicy policy, String host) {
        return NetworkPolicyProto.render(policy).getHostRulesList().stream()
                .anyMatch(rule -> rule.getHost().equals(host));
    }

    private void add(dev.slate.api.egress.v1.NetworkPolicy.Builder builder, Grant grant, boolean open) {
        entries.add(PolicyEntry.newBuilder()
                .setEntry(grant.entry())
                .setKind(grant.isRoute() ? "route" : "host")
                .setSource("grant")
                .setDetail(grant.by())
                .setExpiresAt(Timestamps.of(grant.expiresAt()))
                .build());
        if (grant.isRoute()) {
            builder.addRoutes(route(grant.entry()));
        } else if (!open && !builder.getAllowedHostsList().contains(grant.entry())) {
            builder.addAllowedHosts(grant.entry());
        }
    }

    private void note(String entry, String kind, String source, String detail) {
        entries.add(PolicyEntry.newBuilder()
                .setEntry(entry)
                .setKind(kind)
                .setSource(source)
                .setDetail(detail)
                .build());
    }

    /** Whether an entry lets TLS through to this host already: a plain one would switch off the rules of that one. */
    private static boolean isListed(dev.slate.api.egress.v1.NetworkPolicyOrBuilder policy, String host) {
        return Stream.concat(
                        policy.getAllowedHostsList().stream(),
                        policy.getHostRulesList().stream().map(HostRule::getHost))
                .filter(entry -> !entry.contains(":") || entry.endsWith(":443"))
                .map(entry -> entry.replaceFirst(":443$", ""))
                .anyMatch(entry -> entry.equals(host) || (entry.startsWith("*.") && host.endsWith(entry.substring(1))));
    }

    private static String hint(dev.slate.api.egress.v1.NetworkPolicyOrBuilder policy, String host) {
        if (!host.startsWith("*.")) {
            return "";
        }
        String itself = host.substring(2);
        return isListed(policy, itself) ? "" : "not " + itself.replaceFirst(":.*", "") + " itself";
    }

    private static String describe(HostRule rule) {
        long secrets = rule.getRulesList().stream()
                .flatMap(request -> request.getSetHeadersList().stream())
                .filter(header -> !header.getSecret().isEmpty())
                .count();
        return (rule.getRulesCount() == 0 ? "inspected" : rule.getRulesCount() + " rules")
                + (secrets == 0 ? "" : ", " + secrets + " headers with secrets");
    }

    private static String text(Route route) {
        String ports = route.getPortsList().stream()
                .map(range -> range.getLast() == 0 || range.getLast() == range.getFirst()
                        ? Integer.toString(range.getFirst())
                        : range.getFirst() + "-" + range.getLast())
                .collect(Collectors.joining(","));
        return route.getCidr() + (ports.isEmpty() ? "" : ":" + ports);
    }

    /** {@code 10.1.2.3/32:5432,8000-8100}. */
    private static Route route(String text) {
        int colon = text.indexOf(':', text.indexOf('/'));
        Route.Builder route = Route.newBuilder().setCidr(colon < 0 ? text : text.substring(0, colon));
        if (colon >= 0) {
            for (String range : text.substring(colon + 1).split(",", -1)) {
                if (!range.matches("[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?")) {
                    throw PlatformException.invalid("ports", range, "for example 5432 or 8000-8100");
                }
                String[] ends = range.split("-", -1);
                route.addPorts(PortRange.newBuilder()
                        .setFirst(Integer.parseInt(ends[0]))
                        .setLast(Integer.parseInt(ends[ends.length - 1])));
            }
        }
        return route.build();
    }
}
