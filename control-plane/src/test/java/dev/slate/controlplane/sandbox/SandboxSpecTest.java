package dev.slate.controlplane.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.util.Durations;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.policy.EffectivePolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SandboxSpecTest {
    private static final String DIGEST = "sha256:" + "0".repeat(64);

    @Test
    void fillsInVisibleDefaults() {
        var spec = SandboxProto.render(SandboxProto.parse(base().build()));

        assertThat(spec.getCpuMillis()).isEqualTo(1000);
        assertThat(spec.getMemoryBytes()).isEqualTo(2L << 30);
        assertThat(spec.getPids()).isEqualTo(1024);
        assertThat(spec.getLifetime().getSeconds()).isEqualTo(3600);
    }

    @Test
    void survivesBeingRenderedAndParsed() {
        var message =
                base().setName("loan-agent").setWorkdir("/app").putEnv("A", "1").putSecretEnv("B", "KEY");
        message.addVolumesBuilder().setVolume("data").setVersion(3).setPath("/data");
        message.addCredentialsBuilder().addHosts("api.example.com").setSecret("TOKEN");
        message.getNetworkPolicyBuilder()
                .setMode(dev.slate.api.egress.v1.NetworkPolicy.Mode.MODE_ALLOWLIST)
                .addAllowedHosts("pypi.example");
        SandboxSpec spec = SandboxProto.parse(message.build());

        assertThat(SandboxProto.parse(SandboxProto.render(spec))).isEqualTo(spec);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(spec -> spec.setName("Loan_Agent"), "name: Loan_Agent"),
                mistake(dev.slate.api.sandbox.v1.SandboxSpec.Builder::clearImageDigest, "image: none"),
                mistake(spec -> spec.setImageDigest("latest"), "image digest: latest"),
                mistake(spec -> spec.setCpuMillis(1), "cpu: 1m"),
                mistake(spec -> spec.setMemoryBytes(1 << 20), "memory: 1048576 bytes"),
                mistake(spec -> spec.setPids(1), "pids: 1"),
                mistake(spec -> spec.setLifetime(Durations.fromSeconds(-5)), "lifetime: PT-5S"),
                mistake(spec -> spec.setWorkdir("app"), "workdir: app"),
                mistake(spec -> spec.putEnv("1A", "x"), "env: 1A"),
                mistake(spec -> spec.putEnv("A", "x").putSecretEnv("A", "K"), "secret env: A"),
                mistake(spec -> spec.addVolumesBuilder().setVolume("v").setPath("/proc/x"), "volume path: /proc/x"),
                mistake(spec -> spec.addVolumesBuilder().setVolume("v").setPath("/a/../b"), "volume path: /a/../b"),
                mistake(
                        spec -> {
                            spec.addVolumesBuilder().setVolume("v").setPath("/a");
                            spec.addVolumesBuilder().setVolume("w").setPath("/a/b");
                        },
                        "volume path: /a/b"),
                mistake(spec -> spec.addCredentialsBuilder().setSecret("K"), "credential hosts: none"),
                mistake(
                        spec -> spec.putEnv("K", "x")
                                .addCredentialsBuilder()
                                .setSecret("K")
                                .addHosts("a.example"),
                        "credential variable: K"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void namesTheValueThatIsWrongAndWhatIsExpected(
            Consumer<dev.slate.api.sandbox.v1.SandboxSpec.Builder> mistake, String message) {
        var spec = base();
        mistake.accept(spec);

        assertThatThrownBy(() -> SandboxProto.parse(spec.build()))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageStartingWith(message)
                .hasMessageContaining("(expected: ");
    }

    @Test
    void putsCredentialHostsIntoTheEffectivePolicy() {
        var message = base();
        message.getNetworkPolicyBuilder().setMode(dev.slate.api.egress.v1.NetworkPolicy.Mode.MODE_ALLOWLIST);
        message.addCredentialsBuilder().addHosts("api.example.com").setSecret("TOKEN");
        SandboxSpec spec = SandboxProto.parse(message.build());

        var effective = new EffectivePolicy(spec.policy(), spec.credentialHosts(), List.of());

        assertThat(NetworkPolicyProto.render(effective.policy()).getAllowedHostsList())
                .containsExactly("api.example.com");
    }

    private static dev.slate.api.sandbox.v1.SandboxSpec.Builder base() {
        return dev.slate.api.sandbox.v1.SandboxSpec.newBuilder().setImageDigest(DIGEST);
    }

    private static Arguments mistake(Consumer<dev.slate.api.sandbox.v1.SandboxSpec.Builder> mistake, String message) {
        return Arguments.of(mistake, message);
    }
}
