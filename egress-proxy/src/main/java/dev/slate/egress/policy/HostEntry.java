package dev.slate.egress.policy;

import dev.slate.egress.host.HostName;
import dev.slate.egress.host.HostPattern;
import java.util.List;

/** One host, or the names below one, that a policy lets through: as it is, or only some requests of it. */
public record HostEntry(HostPattern pattern, List<RequestRule> rules, boolean inspect) {

    private static final int MOST_RULES = 100;

    public HostEntry {
        rules = List.copyOf(rules);
        if (rules.size() > MOST_RULES) {
            throw new IllegalArgumentException(
                    "rules of host " + pattern + ": " + rules.size() + " (expected: at most 100)");
        }
        if ((inspect || !rules.isEmpty()) && !(pattern.host() instanceof HostName)) {
            throw new IllegalArgumentException(
                    "host with rules: " + pattern + " (expected: a name, because requests to an address name no host)");
        }
        var withSecret = rules.stream()
                .flatMap(rule -> rule.setHeaders().stream())
                .anyMatch(header -> !header.secret().isEmpty());
        if (withSecret && (pattern.subdomains() || pattern.port().orElse(443) != 443)) {
            throw new IllegalArgumentException("host with a secret: " + pattern
                    + " (expected: an exact name, without a port or with :443; secrets travel nowhere else)");
        }
        if (pattern.host() instanceof dev.slate.egress.host.IpLiteral literal) {
            AddressGuard.notPublic(literal.address()).ifPresent(expected -> {
                throw new IllegalArgumentException("allowed host: " + pattern + " (expected: " + expected + ")");
            });
        }
    }

    /** A host whose bytes pass untouched. */
    public static HostEntry plain(HostPattern pattern) {
        return new HostEntry(pattern, List.of(), false);
    }

    /** Whether its requests are looked at. */
    public boolean isInspected() {
        return inspect || !rules.isEmpty();
    }

    /** Decides on one request. */
    RequestDecision decide(RequestFacts request) {
        if (rules.isEmpty()) {
            return new RequestDecision.Pass(List.of(), pattern.toString(), java.util.Optional.empty());
        }
        var byPath = rules.stream().anyMatch(rule -> rule.path().isPresent());
        var byQuery = rules.stream().anyMatch(rule -> !rule.query().isEmpty());
        var byMethod = rules.stream().anyMatch(rule -> !rule.methods().isEmpty());
        if ((byPath && Ambiguity.inPath(request))
                || (byQuery && Ambiguity.inQuery(request.query()))
                || (byMethod && Ambiguity.inMethod(request))) {
            return new RequestDecision.Refuse(Reason.REQUEST_AMBIGUOUS, pattern.toString());
        }
        for (var i = 0; i < rules.size(); i++) {
            if (rules.get(i).matches(request)) {
                var rule = pattern + " rule " + (i + 1);
                return new RequestDecision.Pass(rules.get(i).setHeaders(), rule, java.util.Optional.empty());
            }
        }
        return new RequestDecision.Refuse(
                Reason.REQUEST_NOT_ALLOWED, "none of " + rules.size() + " rules of " + pattern);
    }
}
