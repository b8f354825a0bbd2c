package dev.slate.controlplane.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostRuleTest {
    @ParameterizedTest
    @ValueSource(strings = {"api.example.com", "*.example.com", "example.com:8443", "10.0.0.1", "API.Example.com."})
    void takesNamesWildcardsPortsAndAddresses(String text) {
        assertThat(HostRule.parse(text).text()).isLowerCase().doesNotEndWith(".");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "*", "https://a.example", "a.example/x", "a b", "*.*.example", "a.example:0", "a:70000"})
    void refusesWhatIsNoHost(String text) {
        assertThatThrownBy(() -> HostRule.parse(text))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("allowed host: " + text);
    }

    @Test
    void addsCredentialHostsToAnAllowlist() {
        NetworkPolicy policy = new NetworkPolicy.Allowlist(new TreeSet<>(List.of(HostRule.parse("b.example"))));

        NetworkPolicy effective = policy.including(List.of(HostRule.parse("a.example")));

        assertThat(NetworkPolicyProto.render(effective).getAllowedHostsList())
                .containsExactly("a.example", "b.example");
    }

    @Test
    void leavesAnOpenPolicyOpen() {
        assertThat(NetworkPolicy.shippedDefault().including(List.of(HostRule.parse("a.example"))))
                .isEqualTo(new NetworkPolicy.Open());
    }
}
