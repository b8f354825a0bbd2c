package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostPattern;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkPolicyTest {

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com, 443, true",
        "example.com, EXAMPLE.com., 443, true",
        "example.com, example.com, 80, true",
        "example.com, example.com, 8443, false",
        "example.com, www.example.com, 443, false",
        "example.com, evil-example.com, 443, false",
        "example.com:8443, example.com, 8443, true",
        "example.com:8443, example.com, 443, false",
        "*.example.com, a.example.com, 443, true",
        "*.example.com, a.b.example.com, 443, true",
        "*.example.com, example.com, 443, false",
        "*.example.com, evil-example.com, 443, false",
        "*.example.com, xexample.com, 443, false",
        "*.example.com, example.com.evil.test, 443, false",
        "*.example.com, a.example.com.evil.test, 443, false",
        "203.0.113.7, 203.0.113.7, 443, true",
        "203.0.113.7, 203.0.113.8, 443, false",
    })
    void matchesAsWritten(String pattern, String host, int port, boolean allowed) {
        var policy = allowing(pattern);

        assertThat(policy.allowing(Host.parse(host), port).isPresent()).isEqualTo(allowed);
    }

    @Test
    void anEmptyListIsNothing() {
        var policy = new NetworkPolicy.Allowlist(Set.of());

        assertThat(policy.isNothing()).isTrue();
        assertThat(policy.allowing(Host.parse("example.com"), 443)).isEmpty();
    }

    private static NetworkPolicy allowing(String... patterns) {
        return new NetworkPolicy.Allowlist(
                Stream.of(patterns).map(HostPattern::parse).collect(Collectors.toSet()));
    }
}
