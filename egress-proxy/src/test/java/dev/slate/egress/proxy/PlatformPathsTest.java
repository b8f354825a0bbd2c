package dev.slate.egress.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlatformPathsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/router",
                "/v1/router/chat/completions?x=../..",
                "/v1/mcp/a",
                "/v1/router/models/openai%2Fgpt-4.1-mini"
            })
    void opensTheGateways(String target) {
        assertThat(PlatformPaths.isOpen(target)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "*",
                "/v1/sandboxes",
                "/v1/routers",
                "/V1/router/a",
                "/v1/router/../sandboxes",
                "/v1/router/%2e%2e/sandboxes",
                "/v1/router/..%2fsandboxes",
                "/v1/router/%252e%252e/x",
                "/v1/router//x",
                "/v1/router/..;/x",
                "/v1/router/..\\x",
                "/v1/router/%5c..",
                "//v1/router/x",
                "/v1/router/./x",
                "/v1/router/%00",
                "/v1%2frouter/x",
                "/v1/router/..",
                "/v1/router/%zz"
            })
    void closesEverythingElse(String target) {
        assertThat(PlatformPaths.isOpen(target)).isFalse();
    }
}
