package dev.slate.controlplane.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.api.egress.v1.PolicyEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EffectivePolicyTest {
    private static final Instant LATER = Instant.parse("2030-01-01T00:00:00Z");

    @Test
    void saysOfEachEntryWhyItIsThere() {
        var asked = allowlist();
        asked.addAllowedHosts("*.example.org").addDeniedCidrs("10.9.0.0/16");
        asked.addHostRulesBuilder().setHost("git.example").setInspect(true);
        asked.addRoutesBuilder()
                .setCidr("10.0.0.0/8")
                .addPortsBuilder()
                .setFirst(5432)
                .setLast(5433);

        var effective = new EffectivePolicy(
                Optional.of(NetworkPolicyProto.parse(asked.build())),
                Map.of("api.example", "KEY"),
                List.of(new Grant("pypi.example", LATER, "granted by ann")));

        assertThat(effective.entries())
                .extracting(PolicyEntry::getEntry, PolicyEntry::getKind, PolicyEntry::getSource, PolicyEntry::getDetail)
                .containsExactly(
                        tuple("*.example.org", "host", "policy", "not example.org itself"),
                        tuple("git.example", "host", "policy", "inspected"),
                        tuple("10.0.0.0/8:5432-5433", "route", "policy", ""),
                        tuple("api.example", "host", "credential", "secret KEY"),
                        tuple("pypi.example", "host", "grant", "granted by ann"),
                        tuple("10.9.0.0/16", "denied", "policy", "wins over everything else"),
                        tuple(
                                "private, link-local, loopback and metadata addresses",
                                "denied",
                                "platform",
                                "except private ones that a route covers"));
        assertThat(NetworkPolicyProto.render(effective.policy()).getAllowedHostsList())
                .containsExactly("*.example.org", "api.example", "pypi.example");
    }

    @Test
    void aCredentialDoesNotSwitchTheRulesOfItsHostOff() {
        var asked = allowlist();
        asked.addHostRulesBuilder().setHost("*.example.com").addRulesBuilder().addMethods("GET");
        asked.addHostRulesBuilder().setHost("git.example:443").addRulesBuilder().addMethods("GET");

        var effective = new EffectivePolicy(
                Optional.of(NetworkPolicyProto.parse(asked.build())),
                Map.of("api.example.com", "A", "git.example", "B"),
                List.of());

        assertThat(NetworkPolicyProto.render(effective.policy())).isEqualTo(asked.build());
    }

    @Test
    void withoutAPolicyTheInternetIsOpenByDefault() {
        var effective = new EffectivePolicy(Optional.empty(), Map.of("api.example", "KEY"), List.of());

        assertThat(effective.policy()).isEqualTo(NetworkPolicy.shippedDefault());
        assertThat(effective.entries().getFirst().getSource()).isEqualTo("default");
    }

    private static dev.slate.api.egress.v1.NetworkPolicy.Builder allowlist() {
        return dev.slate.api.egress.v1.NetworkPolicy.newBuilder().setMode(Mode.MODE_ALLOWLIST);
    }
}
