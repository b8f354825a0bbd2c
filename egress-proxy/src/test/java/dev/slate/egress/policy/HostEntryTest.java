package dev.slate.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.egress.host.HostPattern;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests the rules of a host let through. */
class HostEntryTest {

    private static final HostPattern HOST = HostPattern.parse("api.example.com");

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/models, true",
        "HEAD, /v1/models, true",
        "POST, /v1/models, false",
        "get, /v1/models, false",
        "GET, /v1/models?x=1, true",
        "GET, /v1/modelsx, false",
        "GET, /V1/models, false",
        "GET, /v1/%6dodels, false",
        "POST, /v1/chat/a, true",
        "POST, /v1/chat, false",
        "POST, /v1/chat/?x, true",
        "PUT, /users/42/name, true",
        "PUT, /users/42/name/more, false",
        "PUT, /users/x/name, false",
    })
    void matchMethodAndPath(String method, String target, boolean allowed) {
        var entry = entry(
                rule(Set.of("GET", "HEAD"), new TextMatch.Exact("/v1/models")),
                rule(Set.of("POST"), new TextMatch.Prefix("/v1/chat/")),
                rule(Set.of(), TextMatch.Regex.parse("/users/[0-9]+/name")));

        assertThat(entry.decide(request(method, target)) instanceof RequestDecision.Pass)
                .isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/public/../admin",
                "/public/..",
                "/public/./x",
                "/public/%2e%2e/admin",
                "/public/%2E./admin",
                "/public//x",
                "/public/x;y",
                "/public/x%3by",
                "/public/a%2fb",
                "/public/a%2Fb",
                "/public/a%5cb",
                "/public/a\\b",
                "/public/%252e%252e/admin",
                "/public/%00",
                "/public/%zz",
                "/public/%",
                "/public/%1",
                "*",
                "public"
            })
    void refusePathsThatServersReadInDifferentWaysWhereAPathDecides(String path) {
        var byPath = entry(rule(Set.of(), new TextMatch.Prefix("/public/")));
        var byMethod = entry(rule(Set.of("GET"), null));

        assertThat(byPath.decide(request("GET", path)))
                .isInstanceOfSatisfying(
                        RequestDecision.Refuse.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.REQUEST_AMBIGUOUS));
        assertThat(byMethod.decide(request("GET", path))).isInstanceOf(RequestDecision.Pass.class);
    }

    @ParameterizedTest
    @CsvSource({
        "/?project=a, true",
        "/?x=1&project=a, true",
        "/?project=%61, true",
        "/?proj%65ct=a, true",
        "/?project=b, false",
        "/?project=a&project=b, false",
        "/?project=a&proj%65ct=b, false",
        "/?project=a;project=b, false",
        "/?project=a%3bproject=b, false",
        "/?Project=a, false",
        "/, false",
    })
    void matchAParameterThatIsThereOnce(String target, boolean allowed) {
        var rule = new RequestRule(
                Set.of(),
                Optional.empty(),
                List.of(new NamedMatch("project", new TextMatch.Exact("a"))),
                List.of(),
                List.of());

        assertThat(entry(rule).decide(request("GET", target)) instanceof RequestDecision.Pass)
                .isEqualTo(allowed);
    }

    @Test
    void matchAHeaderThatIsThereOnce() {
        var rule = new RequestRule(
                Set.of(),
                Optional.empty(),
                List.of(),
                List.of(new NamedMatch("X-Team", TextMatch.Regex.parse("blue|green"))),
                List.of());

        assertThat(decide(rule, Map.of("x-team", List.of("blue")))).isInstanceOf(RequestDecision.Pass.class);
        assertThat(decide(rule, Map.of("x-team", List.of("bluegreen")))).isInstanceOf(RequestDecision.Refuse.class);
        assertThat(decide(rule, Map.of("x-team", List.of("blue", "green")))).isInstanceOf(RequestDecision.Refuse.class);
        assertThat(decide(rule, Map.of())).isInstanceOf(RequestDecision.Refuse.class);
    }

    @Test
    void refuseHeadersThatNameAnotherMethodOrPathWhereThatDecides() {
        var byMethod = rule(Set.of("POST"), null);
        var byPath = rule(Set.of(), new TextMatch.Prefix("/"));
        var method = Map.of("x-http-method-override", List.of("DELETE"));
        var path = Map.of("x-original-url", List.of("/admin"));

        assertThat(entry(byMethod).decide(new RequestFacts("POST", "/", headers(method))))
                .isInstanceOf(RequestDecision.Refuse.class);
        assertThat(entry(byMethod).decide(new RequestFacts("POST", "/", headers(path))))
                .isInstanceOf(RequestDecision.Pass.class);
        assertThat(decide(byPath, path)).isInstanceOf(RequestDecision.Refuse.class);
        assertThat(decide(byPath, method)).isInstanceOf(RequestDecision.Pass.class);
    }

    @Test
    void setTheHeadersOfTheFirstRuleThatMatchesAndNameIt() {
        var first = new RequestRule(
                Set.of("POST"), Optional.empty(), List.of(), List.of(), List.of(new SetHeader("X-A", "1", "")));
        var second = new RequestRule(
                Set.of(), Optional.empty(), List.of(), List.of(), List.of(new SetHeader("X-A", "2", "")));

        assertThat(entry(first, second).decide(request("GET", "/")))
                .isEqualTo(new RequestDecision.Pass(
                        List.of(new SetHeader("X-A", "2", "")), "api.example.com rule 2", Optional.empty()));
    }

    @Test
    void takeNoLongerForAnExpressionThatBacktracks() {
        var entry = entry(rule(Set.of(), TextMatch.Regex.parse("/(a|aa)+$")));

        assertThat(org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                        Duration.ofSeconds(5), () -> entry.decide(request("GET", "/" + "a".repeat(8000) + "!"))))
                .isInstanceOf(RequestDecision.Refuse.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "content-length",
                "Connection",
                "X-Forwarded-For",
                "Proxy-Authorization",
                "Accept-Encoding",
                "a b",
                ""
            })
    void setNoHeaderOfRoutingOrFraming(String name) {
        assertThatThrownBy(() -> new SetHeader(name, "x", "")).hasMessageContaining("(expected: ");
    }

    @Test
    void setASecretOnlyWhereACredentialCouldGo() {
        assertThat(new SetHeader("X-Key", "", "KEY").value()).isEqualTo("{secret}");
        assertThatThrownBy(() -> new SetHeader("X-Key", "Bearer", "KEY")).hasMessageContaining("{secret} in the value");
        assertThatThrownBy(() -> new SetHeader("X-Key", "{secret}", "")).hasMessageContaining("name of a secret");
        assertThatThrownBy(() -> new SetHeader("User-Agent", "", "KEY")).hasMessageContaining("do not repeat");
        var rule = new RequestRule(
                Set.of(), Optional.empty(), List.of(), List.of(), List.of(new SetHeader("X-Key", "", "KEY")));
        for (var host : List.of("*.example.com", "example.com:8443", "example.com:80")) {
            assertThatThrownBy(() -> new HostEntry(HostPattern.parse(host), List.of(rule), false))
                    .hasMessageContaining("an exact name");
        }
    }

    private static RequestDecision decide(RequestRule rule, Map<String, List<String>> headers) {
        return entry(rule).decide(new RequestFacts("GET", "/", headers(headers)));
    }

    private static Function<String, List<String>> headers(Map<String, List<String>> headers) {
        return name -> headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of());
    }

    private static HostEntry entry(RequestRule... rules) {
        return new HostEntry(HOST, List.of(rules), false);
    }

    private static RequestRule rule(Set<String> methods, @org.jspecify.annotations.Nullable TextMatch path) {
        return new RequestRule(methods, Optional.ofNullable(path), List.of(), List.of(), List.of());
    }

    private static RequestFacts request(String method, String target) {
        return new RequestFacts(method, target, _ -> List.of());
    }
}
