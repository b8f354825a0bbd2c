package dev.slate.egress.control;

import dev.slate.api.egress.v1.CheckPolicyRequest;
import dev.slate.api.egress.v1.CheckPolicyResponse;
import dev.slate.api.egress.v1.HostRule;
import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.policy.Cidr;
import dev.slate.egress.policy.HostEntry;
import dev.slate.egress.policy.NamedMatch;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.PortRange;
import dev.slate.egress.policy.RequestRule;
import dev.slate.egress.policy.Route;
import dev.slate.egress.policy.SetHeader;
import dev.slate.egress.policy.TextMatch;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Turns policies of the wire into what decides, and into their canonical form. */
final class PolicyMessages {

    private PolicyMessages() {}

    static NetworkPolicy policy(dev.slate.api.egress.v1.NetworkPolicy message) {
        var open = switch (message.getMode()) {
            case MODE_OPEN -> true;
            case MODE_ALLOWLIST -> false;
            // A mode that this version does not know must not open anything.
            case MODE_UNSPECIFIED, UNRECOGNIZED ->
                throw new IllegalArgumentException(
                        "network policy mode: " + message.getMode() + " (expected: open or allowlist)");
        };
        if (open && message.getAllowedHostsCount() > 0) {
            throw new IllegalArgumentException(
                    "network policy: open with allowed hosts (expected: either open or allowed hosts, not both)");
        }
        var entries = Stream.concat(
                message.getAllowedHostsList().stream()
                        .map(HostPattern::parse)
                        .map(HostEntry::plain)
                        .distinct(),
                message.getHostRulesList().stream().map(PolicyMessages::entry));
        return new NetworkPolicy(
                open,
                NetworkPolicy.entries(entries.toList()),
                message.getRoutesList().stream()
                        .map(PolicyMessages::route)
                        .distinct()
                        .toList(),
                message.getDeniedCidrsList().stream()
                        .map(Cidr::parse)
                        .distinct()
                        .toList(),
                message.getObserve());
    }

    /** The canonical form: every entry as it is matched, once, in order. */
    static dev.slate.api.egress.v1.NetworkPolicy canonical(dev.slate.api.egress.v1.NetworkPolicy message) {
        var policy = policy(message);
        var rules = message.getHostRulesList().stream()
                .map(rule -> canonical(rule))
                .sorted(Comparator.comparing(HostRule::getHost))
                .toList();
        return dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                .setMode(policy.open() ? Mode.MODE_OPEN : Mode.MODE_ALLOWLIST)
                .addAllAllowedHosts(message.getAllowedHostsList().stream()
                        .map(host -> HostPattern.parse(host).toString())
                        .distinct()
                        .sorted()
                        .toList())
                .addAllHostRules(rules)
                .addAllRoutes(policy.routes().stream()
                        .sorted(Comparator.comparing(Route::toString))
                        .map(PolicyMessages::render)
                        .toList())
                .addAllDeniedCidrs(
                        policy.denied().stream().map(Cidr::toString).sorted().toList())
                .setObserve(policy.observe())
                .build();
    }

    static CheckPolicyResponse check(CheckPolicyRequest request) {
        return CheckPolicyResponse.newBuilder()
                .setPolicy(canonical(request.getPolicy()))
                .addAllCredentialHosts(request.getCredentialHostsList().stream()
                        .map(PolicyMessages::credentialHost)
                        .toList())
                .build();
    }

    private static String credentialHost(String text) {
        var pattern = HostPattern.parse(text);
        if (pattern.subdomains() || pattern.port().isPresent() || !(pattern.host() instanceof HostName name)) {
            throw new IllegalArgumentException("credential host: " + text
                    + " (expected: an exact name without a port; credentials travel to port 443 only)");
        }
        return name.value();
    }

    private static HostRule canonical(HostRule rule) {
        var canonical =
                rule.toBuilder().setHost(HostPattern.parse(rule.getHost()).toString());
        canonical.getRulesBuilderList().forEach(request -> {
            var methods = request.getMethodsList().stream().distinct().sorted().toList();
            request.clearMethods().addAllMethods(methods);
            request.getSetHeadersBuilderList()
                    .forEach(header -> header.setValue(header(header.build()).value()));
        });
        return canonical.build();
    }

    private static HostEntry entry(HostRule message) {
        return new HostEntry(
                HostPattern.parse(message.getHost()),
                message.getRulesList().stream().map(PolicyMessages::rule).toList(),
                message.getInspect() || message.getRulesCount() == 0);
    }

    private static RequestRule rule(dev.slate.api.egress.v1.RequestRule message) {
        return new RequestRule(
                message.getMethodsList().stream().collect(Collectors.toUnmodifiableSet()),
                message.hasPath() ? Optional.of(match(message.getPath())) : Optional.empty(),
                named(message.getQueryList()),
                named(message.getHeadersList()),
                message.getSetHeadersList().stream().map(PolicyMessages::header).toList());
    }

    private static SetHeader header(dev.slate.api.egress.v1.SetHeader message) {
        return new SetHeader(message.getName(), message.getValue(), message.getSecret());
    }

    private static List<NamedMatch> named(List<dev.slate.api.egress.v1.NamedMatch> messages) {
        return messages.stream()
                .map(message -> new NamedMatch(message.getName(), match(message.getValue())))
                .toList();
    }

    private static TextMatch match(dev.slate.api.egress.v1.TextMatch message) {
        return switch (message.getKindCase()) {
            case EXACT -> new TextMatch.Exact(message.getExact());
            case PREFIX -> new TextMatch.Prefix(message.getPrefix());
            case REGEX -> TextMatch.Regex.parse(message.getRegex());
            case KIND_NOT_SET ->
                throw new IllegalArgumentException("condition: empty (expected: exact, prefix or regex)");
        };
    }

    private static Route route(dev.slate.api.egress.v1.Route message) {
        return new Route(
                Cidr.parse(message.getCidr()),
                message.getPortsList().stream()
                        .map(range -> new PortRange(
                                range.getFirst(), range.getLast() == 0 ? range.getFirst() : range.getLast()))
                        .toList());
    }

    private static dev.slate.api.egress.v1.Route render(Route route) {
        return dev.slate.api.egress.v1.Route.newBuilder()
                .setCidr(route.range().toString())
                .addAllPorts(route.ports().stream()
                        .map(range -> dev.slate.api.egress.v1.PortRange.newBuilder()
                                .setFirst(range.first())
                                .setLast(range.last())
                                .build())
                        .toList())
                .build();
    }
}
