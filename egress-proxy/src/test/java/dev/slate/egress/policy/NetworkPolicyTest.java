package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.Placeholder;
import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.host.IpLiteral;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of precedence, as a table of policies and what they decide. */
class NetworkPolicyTest {

    private static final HostName PLATFORM = HostName.parse("api.slate.internal");
    private static final RequestRule GET_ONLY =
            new RequestRule(Set.of("GET"), Optional.empty(), List.of(), List.of(), List.of());

    /** Entries are separated by spaces: +host, ?inspected host, @route, -denied CIDR, open, observe. */
    @ParameterizedTest
    @CsvSource({
        // What an entry matches.
        "+example.com, example.com, 443, TLS, splice",
        "+example.com, EXAMPLE.com., 443, TLS, splice",
        "+example.com, example.com, 80, HTTP, splice",
        "+example.com, example.com, 8443, TLS, host_not_allowed",
        "+example.com, www.example.com, 443, TLS, host_not_allowed",
        "+example.com, evil-example.com, 443, TLS, host_not_allowed",
        "+example.com, example.com.evil.test, 443, TLS, host_not_allowed",
        "+example.com:8443, example.com, 8443, TLS, splice",
        "+example.com:8443, example.com, 443, TLS, host_not_allowed",
        "+example.com:22, example.com, 22, TCP, splice",
        "+*.example.com, a.example.com, 443, TLS, splice",
        "+*.example.com, a.b.example.com, 443, TLS, splice",
        "+*.example.com, example.com, 443, TLS, host_not_allowed",
        "+*.example.com, xexample.com, 443, TLS, host_not_allowed",
        "+*.example.com, a.example.com.evil.test, 443, TLS, host_not_allowed",
        "+93.184.215.14, 93.184.215.14, 443, TLS, splice",
        "+93.184.215.14, 93.184.215.15, 443, TLS, host_not_allowed",
        // A protocol on the port of another one.
        "+example.com, example.com, 80, TLS, wrong_protocol",
        "+example.com, example.com, 443, HTTP, wrong_protocol",
        "+example.com, example.com, 443, TCP, wrong_protocol",
        // Nothing, everything.
        "'', example.com, 443, TLS, host_not_allowed",
        "open, example.com, 443, TLS, splice",
        "open, example.com, 5432, TCP, splice",
        // The narrowest entry decides alone.
        "?*.example.com +a.example.com, a.example.com, 443, TLS, splice",
        "?*.example.com +a.example.com, b.example.com, 443, TLS, terminate",
        "+*.example.com ?*.a.example.com, x.a.example.com, 443, TLS, terminate",
        "+*.example.com ?*.a.example.com, x.b.example.com, 443, TLS, splice",
        "?example.com +example.com:8443, example.com, 8443, TLS, splice",
        "?example.com +example.com:8443, example.com, 443, TLS, terminate",
        "open ?example.com, example.com, 443, TLS, terminate",
        "open ?example.com, other.example, 443, TLS, splice",
        "open ?example.com, example.com, 8443, TLS, terminate",
        "open ?example.com, example.com, 5432, TCP, wrong_protocol",
        "open ?*.example.com, a.example.com, 8443, TLS, terminate",
        "open ?example.com:443, example.com, 8443, TLS, splice",
        "?example.com:9443, example.com, 9443, TLS, terminate",
        "?example.com:9443, example.com, 9443, TCP, wrong_protocol",
        // Routes are about addresses and never about names.
        "@10.1.0.0/16:5432, 10.1.2.3, 5432, TCP, splice",
        "@10.1.0.0/16:5432, 10.1.2.3, 5433, TCP, host_not_allowed",
        "@10.1.0.0/16, 10.2.0.1, 5432, TCP, host_not_allowed",
        "@0.0.0.0/0, example.com, 443, TLS, host_not_allowed",
        "@0.0.0.0/0 ?example.com, example.com, 443, TLS, terminate",
        "@0.0.0.0/0 +bound.example, bound.example, 443, TLS, terminate",
        // Observing.
        "+example.com observe, other.example, 443, TLS, splice would_deny host_not_allowed",
        "+example.com observe, example.com, 443, TLS, splice",
        "?example.com observe, example.com, 443, TLS, terminate",
        "+example.com observe, other.example, 443, HTTP, wrong_protocol",
        // The platform's own name is for its gateways only.
        "+api.slate.internal, api.slate.internal, 443, TLS, gateway",
        "+api.slate.internal, api.slate.internal, 80, HTTP, wrong_protocol",
        "open, api.slate.internal, 8443, TLS, wrong_protocol",
    })
    void decides(String policy, String host, int port, Protocol protocol, String expected) {
        var decision = sandbox(policy(policy)).decide(Host.parse(host), port, protocol, PLATFORM);

        assertThat(text(decision)).isEqualTo(expected);
    }

    @Test
    void refusesConflictsWhenItIsMade() {
        assertRefused("+example.com ?example.com", "listed twice");
        assertRefused("@10.1.0.0/16 -10.0.0.0/8", "which the policy denies");
        assertRefused("+93.184.215.14 -93.184.0.0/16", "which the policy denies");
        assertRefused("+10.0.0.1", "10.0.0.0/8 is private and takes a route, 10.0.0.1/32");
        assertRefused("+127.0.0.1", "which no sandbox can reach");
        assertRefused("+169.254.169.254:80", "which no sandbox can reach");
        assertRefused("?93.184.215.14", "a name");
        assertRefused("@127.0.0.0/8", "which no sandbox can reach");
        assertRefused("@169.254.169.254/32", "which no sandbox can reach");
        assertRefused("@10.1.2.3/16", "10.1.0.0/16, or the address with /32");
        assertRefused("@10.1.0.0/33", "at most 32");
        assertRefused("@10.1/16", "CIDR");
        assertRefused("@10.1.0.0/16:0", "1 to 65535");
        assertRefused("-example.com", "CIDR");
    }

    @Test
    void anEmptyListIsNothing() {
        assertThat(policy("").isNothing()).isTrue();
        assertThat(policy("@10.0.0.0/8").isNothing()).isTrue();
        assertThat(policy("observe").isNothing()).isFalse();
        assertThat(policy("open").isNothing()).isFalse();
    }

    @Test
    void namesTheEntryThatDecided() {
        var sandbox = sandbox(policy("+*.example.com @10.0.0.0/8:1-100"));

        assertThat(sandbox.decide(Host.parse("a.example.com"), 443, Protocol.TLS, PLATFORM)
                        .rule())
                .isEqualTo("*.example.com");
        assertThat(sandbox.decide(Host.parse("10.2.3.4"), 22, Protocol.TCP, PLATFORM)
                        .rule())
                .isEqualTo("route 10.0.0.0/8:1-100");
        assertThat(sandbox.decide(Host.parse("example.com"), 443, Protocol.TLS, PLATFORM)
                        .rule())
                .isEqualTo("none of generation 3");
    }

    private static void assertRefused(String policy, String message) {
        assertThatThrownBy(() -> policy(policy))
                .as(policy)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("(expected: ");
    }

    private static String text(Decision decision) {
        return switch (decision) {
            case Decision.Deny(var reason, var _) -> reason.code();
            case Decision.Splice(var _, var wouldDeny) ->
                "splice"
                        + wouldDeny
                                .map(reason -> " would_deny " + reason.code())
                                .orElse("");
            case Decision.Terminate _ -> "terminate";
            case Decision.Gateway _ -> "gateway";
        };
    }

    private static NetworkPolicy policy(String text) {
        var parts =
                Stream.of(text.split(" ", -1)).filter(part -> !part.isEmpty()).toList();
        return new NetworkPolicy(
                parts.contains("open"),
                entries(parts),
                rest(parts, "@").map(NetworkPolicyTest::route).toList(),
                rest(parts, "-").map(Cidr::parse).toList(),
                parts.contains("observe"));
    }

    private static Map<HostPattern, HostEntry> entries(List<String> parts) {
        return NetworkPolicy.entries(Stream.concat(
                        rest(parts, "+").map(HostPattern::parse).map(HostEntry::plain),
                        rest(parts, "?")
                                .map(HostPattern::parse)
                                .map(pattern -> new HostEntry(pattern, List.of(GET_ONLY), false)))
                .toList());
    }

    private static Route route(String text) {
        var colon = text.indexOf(':');
        if (colon < 0) {
            return new Route(Cidr.parse(text), List.of());
        }
        var ends = text.substring(colon + 1).split("-", -1);
        return new Route(
                Cidr.parse(text.substring(0, colon)),
                List.of(new PortRange(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))));
    }

    private static Stream<String> rest(List<String> parts, String sign) {
        return parts.stream().filter(part -> part.startsWith(sign)).map(part -> part.substring(1));
    }

    /** With a credential for bound.example where the policy lets it through. */
    private static Sandbox sandbox(NetworkPolicy policy) {
        var bound = HostName.parse("bound.example");
        var credentials = policy.hosts().containsKey(HostPattern.parse("bound.example"))
                ? List.of(new Credential(
                        "KEY", new Placeholder("__slate-secret-" + "0".repeat(32)), Set.of(bound), Optional.empty()))
                : List.<Credential>of();
        return new Sandbox("a", IpLiteral.address(new byte[] {10, 0, 0, 2}), 3, policy, credentials);
    }
}
