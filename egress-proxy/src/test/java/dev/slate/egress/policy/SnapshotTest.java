package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.Placeholder;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import java.net.Inet4Address;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SnapshotTest {

    @Test
    void anAddressBelongsToOneSandboxAtATime() {
        var snapshot = Snapshot.EMPTY.with(sandbox("a", "10.0.0.2", 1));

        assertThatThrownBy(() -> snapshot.with(sandbox("b", "10.0.0.2", 1))).hasMessageContaining("10.0.0.2");
        assertThat(snapshot.without("a").with(sandbox("b", "10.0.0.2", 1)).from(address("10.0.0.2")))
                .map(Sandbox::id)
                .contains("b");
    }

    @Test
    void anOlderGenerationIsRefusedAndTheSameOneRepeats() {
        var snapshot = Snapshot.EMPTY.with(sandbox("a", "10.0.0.2", 5));

        assertThatThrownBy(() -> snapshot.with(sandbox("a", "10.0.0.2", 4))).hasMessageContaining("at least 5");
        assertThat(snapshot.with(sandbox("a", "10.0.0.3", 5)).from(address("10.0.0.2")))
                .isEmpty();
    }

    @Test
    void aCredentialCannotWidenThePolicy() {
        var credential = new Credential(
                "KEY",
                new Placeholder("__slate-secret-" + "0".repeat(32)),
                Set.of(HostName.parse("api.example.com")),
                Optional.of(SecretValue.of("value")));

        assertThatThrownBy(() ->
                        new Sandbox("a", address("10.0.0.2"), 1, NetworkPolicy.allowing(Set.of()), List.of(credential)))
                .hasMessageContaining("outside the network policy");
    }

    private static Sandbox sandbox(String id, String source, long generation) {
        return new Sandbox(id, address(source), generation, NetworkPolicy.openInternet(), List.of());
    }

    private static Inet4Address address(String text) {
        return IpLiteral.tryParse(text).orElseThrow().address();
    }
}
