package dev.slate.common.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.common.auth.ProxyProof;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxBoundaryTest {
    @TempDir
    Path home;

    private SandboxBoundary boundary;
    private String proof;

    @BeforeEach
    void setUp() {
        ProxyProof proxy = new ProxyProof(home);
        boundary = new SandboxBoundary(proxy);
        proof = proxy.value().revealText();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/router", "/v1/router/chat/completions", "/v1/mcp", "/v1/mcp/github"})
    void letsASandboxReachTheGateways(String path) {
        assertThat(boundary.permits(path, "sandbox-1", proof)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/v1/auth/token",
                "/v1/routers",
                "/slate.secret.v1.Secrets/GetSecret",
                "/V1/router",
                "/q/health"
            })
    void keepsASandboxAwayFromEverythingElse(String path) {
        assertThat(boundary.permits(path, "sandbox-1", proof)).isFalse();
    }

    @Test
    void refusesAMarkWithoutTheRightProof() {
        assertThat(boundary.permits("/v1/router/models", "sandbox-1", null)).isFalse();
        assertThat(boundary.permits("/v1/router/models", "sandbox-1", "guess")).isFalse();
        assertThat(boundary.permits("/v1/router/models", null, proof)).isFalse();
    }

    @Test
    void letsRequestsFromElsewherePass() {
        assertThat(boundary.permits("/v1/auth/token", null, null)).isTrue();
    }
}
