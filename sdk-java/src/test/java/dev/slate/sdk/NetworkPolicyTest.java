package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkPolicyTest {

    private static final NetworkPolicy FULL = NetworkPolicy.allowedHosts("pypi.org")
            .host(HostRule.inspect("*.example.org"))
            .host(HostRule.inspect("api.example.com")
                    .allow(RequestRule.any()
                            .methods("GET", "HEAD")
                            .path(TextMatch.prefix("/v1/"))
                            .query("team", TextMatch.exact("blue"))
                            .header("X-Kind", TextMatch.regex("a|b"))
                            .setHeader("X-Plain", "1")
                            .setHeader("Authorization", "Bearer {secret}", Secret.named("KEY"))))
            .route("10.1.0.0/16", "5432", "8000-8100")
            .route("fd12::/16")
            .deny("10.1.9.0/24")
            .observing();

    @Test
    void survivesBeingWrittenAndRead() {
        assertThat(NetworkPolicy.fromJson(FULL.toJson())).isEqualTo(FULL);
        assertThat(NetworkPolicy.fromJson(NetworkPolicy.open().toJson())).isEqualTo(NetworkPolicy.open());
        assertThat(NetworkPolicy.fromJson("{}")).isEqualTo(NetworkPolicy.allowedHosts());
        assertThat(NetworkPolicy.fromJson("{\"routes\": [\"fd12::/16:53\"]}").routes())
                .containsExactly("fd12::/16:53");
    }

    @Test
    void takesTheTextOfARouteInOnePieceToo() {
        assertThat(NetworkPolicy.open().route("10.1.0.0/16:5432,8000-8100"))
                .isEqualTo(NetworkPolicy.open().route("10.1.0.0/16", "5432", "8000-8100"));
    }

    @Test
    void saysWhatItIsInOneLine() {
        assertThat(FULL)
                .hasToString("OBSERVED, NOT ENFORCED: allowed hosts [pypi.org], *.example.org (inspected),"
                        + " api.example.com (1 rules), route 10.1.0.0/16:5432,8000-8100, route fd12::/16,"
                        + " never 10.1.9.0/24");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{\"mode\": \"closed\"}",
                "{\"host\": [\"a.example\"]}",
                "{\"hosts\": \"a.example\"}",
                "{\"hosts\": [1]}",
                "{\"hosts\": [{\"host\": \"a.example\", \"rule\": []}]}",
                "{\"hosts\": [{\"host\": \"a.example\", \"rules\": [{\"path\": \"/v1\"}]}]}",
                "{\"hosts\": [{\"host\": \"a.example\", \"rules\": [{\"path\": {}}]}]}",
                "{\"hosts\": [{\"host\": \"a.example\", \"rules\": [{\"query\": []}]}]}",
                "{\"routes\": [\"10.0.0.0/8:http\"]}",
                "{\"observe\": \"yes\"}",
                "{\"hosts\": [], \"hosts\": []}",
                "{} {}"
            })
    void refusesWhatItWouldNotUnderstand(String json) {
        assertThatThrownBy(() -> NetworkPolicy.fromJson(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(expected: ");
    }
}
