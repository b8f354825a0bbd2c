package dev.slate.e2e.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.e2e.stack.Intranet;
import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Outside;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Shell;
import dev.slate.sdk.Access;
import dev.slate.sdk.HostRule;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.PolicyEntry;
import dev.slate.sdk.RequestRule;
import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Secret;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import dev.slate.sdk.TextMatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Policies with routes, rules and an end, tried out from inside. Numbers are those of the faults they guard against. */
@OnPlatform
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PolicyE2E {
    private static final String KEY = "E2E_POLICY_KEY";
    private static final String REAL = "policy-value-5b1de07a2c";

    /** Prints the status and body, or the error, of one request: method, URL. */
    private static final String ASK = """
            import sys, urllib.request, urllib.error
            request = urllib.request.Request(sys.argv[2], method=sys.argv[1])
            try:
                answer = urllib.request.urlopen(request, timeout=15)
                print(answer.status, answer.read().decode())
            except urllib.error.HTTPError as error:
                print(error.code, error.read().decode())
            except Exception as error:
                print("refused", error)
            """;

    /** Reads a slow answer and prints how many bytes there were when it broke off. */
    private static final String DOWNLOAD = """
            import sys, urllib.request
            answer = urllib.request.urlopen(sys.argv[1], timeout=15)
            print("started", answer.read(10), flush=True)
            got = 0
            try:
                while True:
                    data = answer.read(10)
                    if not data: break
                    got += len(data)
                print("complete", got, flush=True)
            except Exception as error:
                print("broken", error, flush=True)
            """;

    private Platform platform;
    private Slate slate;
    private Intranet intranet;

    @BeforeAll
    void start(Platform givenPlatform, Slate givenSlate) {
        platform = givenPlatform;
        slate = givenSlate;
        intranet = Intranet.start(Platform.repository().resolve("e2e-tests/target/e2e"));
        slate.secrets().set(KEY, SecretValue.of(REAL));
    }

    @AfterAll
    void end() {
        slate.secrets().delete(KEY);
        intranet.close();
    }

    @Test
    void e05_e06_aPrivateAddressTakesARouteAndTheRefusalSaysWhich() {
        NetworkPolicy named = NetworkPolicy.allowedHosts(Intranet.NAME, Outside.OTHER);
        try (Sandbox sandbox = with(named)) {
            String url = "http://" + Intranet.NAME + "/x";
            assertThat(ask(sandbox, "GET", url))
                    .startsWith("403")
                    .contains("address_refused", "10.234.77.2 is private, in 10.0.0.0/8, and no route");
            assertThat(ask(sandbox, "GET", "http://" + Intranet.ADDRESS + "/x")).doesNotContain("intranet /x");

            sandbox.updateNetworkPolicy(named.route("10.234.0.0/16", "80"));

            assertThat(ask(sandbox, "GET", url)).isEqualTo("200 intranet /x");
            assertThat(ask(sandbox, "GET", "http://" + Intranet.ADDRESS + "/y")).isEqualTo("200 intranet /y");
            assertThat(ask(sandbox, "GET", "http://" + Intranet.ADDRESS + ":8080/z"))
                    .doesNotContain("intranet /z");

            sandbox.updateNetworkPolicy(named.route("10.234.0.0/16").deny("10.234.77.0/24"));

            assertThat(ask(sandbox, "GET", url))
                    .startsWith("403")
                    .contains("address_denied", "in 10.234.77.0/24, which the policy denies");
        }
    }

    @Test
    void aRouteLeadsNeitherToThisMachineNorToOtherSandboxesNorToMetadata() {
        NetworkPolicy wide = NetworkPolicy.allowedHosts(Outside.OTHER).route("0.0.0.0/0");
        try (Sandbox sandbox = with(wide);
                Sandbox other = with(wide)) {
            other.command("python3", "-m", "http.server", "80").start();
            String neighbour = other.exec(
                            "python3", "-c", "import socket; print(socket.gethostbyname(socket.gethostname()))")
                    .stdout()
                    .strip();
            for (String address :
                    List.of("169.254.169.254", "127.0.0.1", platform.outside().address(), "10.234.77.1", neighbour)) {
                assertThat(ask(sandbox, "GET", "http://" + address + "/"))
                        .as(address)
                        .doesNotStartWith("200");
            }
            assertThat(sandbox.egress())
                    .filteredOn(connection -> connection.host().equals(neighbour))
                    .allMatch(connection -> connection.rule().contains("of the platform itself"));
            assertThatThrownBy(() ->
                            sandbox.updateNetworkPolicy(NetworkPolicy.open().route("169.254.169.254/32")))
                    .hasMessageContaining("which no sandbox can reach");
        }
    }

    @Test
    void aRouteDoesNotSwitchOffWhatIsSaidOfAHost() {
        HostRule onlyGet =
                HostRule.inspect(Outside.OTHER).allow(RequestRule.any().methods("GET"));
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts().host(onlyGet).route("0.0.0.0/0"))) {
            assertThat(ask(sandbox, "GET", "https://" + Outside.OTHER + "/d52")).isEqualTo("200 ok");
            assertThat(ask(sandbox, "DELETE", "https://" + Outside.OTHER + "/d52"))
                    .startsWith("403")
                    .contains("request_not_allowed");
        }
        assertThat(platform.outside().requestsFor(Outside.OTHER))
                .noneMatch(request ->
                        request.target().equals("/d52") && request.method().equals("DELETE"));
    }

    @Test
    void d53_onlyRequestsOfARulePassAndItsHeadersAreSetWithASecretThatNobodyInsideHas() {
        HostRule rule = HostRule.inspect(Outside.OTHER)
                .allow(RequestRule.any()
                        .methods("GET", "POST")
                        .path(TextMatch.prefix("/echo/v1/"))
                        .setHeader("Authorization", "Bearer {secret}", Secret.named(KEY))
                        .setHeader("X-Team", "blue"));
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts().host(rule))) {
            String base = "https://" + Outside.OTHER;

            assertThat(ask(sandbox, "GET", base + "/echo/v1/d53"))
                    .startsWith("200")
                    .doesNotContain(REAL);
            assertThat(ask(sandbox, "GET", base + "/echo/v2/d53"))
                    .startsWith("403")
                    .contains("request_not_allowed");
            assertThat(ask(sandbox, "DELETE", base + "/echo/v1/d53")).startsWith("403");
            for (String path :
                    List.of("/echo/v1/../v2/d53", "/echo/v1/%2e%2e/v2/d53", "/echo/v1//d53", "/echo/v1/%2fd53")) {
                assertThat(ask(sandbox, "GET", base + path))
                        .as(path)
                        .startsWith("403")
                        .contains("request_ambiguous");
            }
            assertThat(ask(sandbox, "GET", "http://" + Outside.OTHER + "/echo/v1/clear"))
                    .startsWith("403");
            assertThat(sandbox.exec("env").stdout())
                    .doesNotContain("__slate-secret-")
                    .doesNotContain(REAL);
        }
        assertThat(platform.outside().requestsFor(Outside.OTHER))
                .filteredOn(request ->
                        request.target().contains("d53") && request.target().startsWith("/echo"))
                .singleElement()
                .satisfies(request -> {
                    assertThat(request.headers()).containsEntry("authorization", "Bearer " + REAL);
                    assertThat(request.headers()).containsEntry("x-team", "blue");
                });
    }

    @Test
    void e11_aTableOfPoliciesDecidesInALiveSandboxAsItIsWritten() {
        HostRule getOther =
                HostRule.inspect(Outside.OTHER).allow(RequestRule.any().methods("GET"));
        HostRule getAll =
                HostRule.inspect("*.slate-test.net").allow(RequestRule.any().methods("GET"));
        record Row(NetworkPolicy policy, String method, String url, boolean passes) {}
        String https = "https://" + Outside.OTHER + "/e11";
        String http = "http://" + Outside.OTHER + "/e11";
        String intranet = "http://" + Intranet.NAME + "/e11";
        String literal = "http://" + Intranet.ADDRESS + "/e11";
        List<Row> rows = List.of(
                new Row(NetworkPolicy.allowedHosts(), "GET", https, false),
                new Row(NetworkPolicy.open(), "GET", https, true),
                new Row(NetworkPolicy.allowedHosts(Outside.OTHER), "GET", https, true),
                new Row(NetworkPolicy.allowedHosts(Outside.OTHER), "GET", http, true),
                new Row(NetworkPolicy.allowedHosts(Outside.OTHER + ":443"), "GET", http, false),
                new Row(NetworkPolicy.allowedHosts(Outside.OTHER + ":80"), "GET", https, false),
                new Row(NetworkPolicy.allowedHosts(Outside.OPEN), "GET", https, false),
                new Row(NetworkPolicy.allowedHosts("*.slate-test.net"), "GET", https, true),
                new Row(NetworkPolicy.allowedHosts("*." + Outside.OTHER), "GET", https, false),
                new Row(NetworkPolicy.allowedHosts("*.example.com"), "GET", https, false),
                new Row(NetworkPolicy.allowedHosts().host(getOther), "GET", https, true),
                new Row(NetworkPolicy.allowedHosts().host(getOther), "PUT", https, false),
                new Row(NetworkPolicy.allowedHosts("*.slate-test.net").host(getOther), "PUT", https, false),
                new Row(NetworkPolicy.allowedHosts(Outside.OTHER).host(getAll), "PUT", https, true),
                new Row(NetworkPolicy.allowedHosts(Outside.OPEN).host(getAll), "PUT", https, false),
                new Row(NetworkPolicy.open().host(getOther), "PUT", https, false),
                new Row(NetworkPolicy.allowedHosts(Outside.OTHER).deny("10.233.0.0/16"), "GET", https, false),
                new Row(NetworkPolicy.open().deny("10.233.77.1/32"), "GET", http, false),
                new Row(NetworkPolicy.allowedHosts(Intranet.NAME), "GET", intranet, false),
                new Row(NetworkPolicy.open(), "GET", intranet, false),
                new Row(NetworkPolicy.allowedHosts().route("10.234.0.0/16"), "GET", intranet, false),
                new Row(NetworkPolicy.allowedHosts().route("10.234.0.0/16"), "GET", literal, true),
                new Row(NetworkPolicy.allowedHosts().route("10.234.0.0/16", "81-90"), "GET", literal, false),
                new Row(NetworkPolicy.open().route("10.234.77.2/32", "80"), "GET", intranet, true),
                new Row(NetworkPolicy.open().route("10.234.0.0/16").deny("10.234.77.2/32"), "GET", literal, false));
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts())) {
            for (Row row : rows) {
                sandbox.updateNetworkPolicy(row.policy());

                assertThat(ask(sandbox, row.method(), row.url()).startsWith("200"))
                        .as(row.policy() + ": " + row.method() + " " + row.url())
                        .isEqualTo(row.passes());
            }
        }
    }

    @Test
    void observingOnlyNotesAndStaysLoudAndRelaxesNeitherMetadataNorPrivateAddresses() {
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts(Outside.OTHER).observing())) {
            assertThat(ask(sandbox, "GET", "http://" + Outside.UNLISTED + "/observed"))
                    .isEqualTo("200 ok");
            assertThat(ask(sandbox, "GET", "https://" + Outside.UNLISTED + "/observed"))
                    .isEqualTo("200 ok");
            assertThat(ask(sandbox, "GET", "http://169.254.169.254/latest/meta-data"))
                    .doesNotStartWith("200");
            assertThat(ask(sandbox, "GET", "http://" + Intranet.NAME + "/x")).startsWith("403");

            assertThat(sandbox.egress())
                    .filteredOn(connection -> connection.host().equals(Outside.UNLISTED))
                    .hasSize(2)
                    .allMatch(connection ->
                            connection.allowed() && connection.wouldDeny().equals("host_not_allowed"));
            assertThat(platform.cli("sandbox", "get", sandbox.id()).orThrow().stdout())
                    .contains("OBSERVED");
            assertThat(platform.cli("sandbox", "egress", sandbox.id()).orThrow().stdout())
                    .contains("observed");
        }
    }

    @Test
    void e07_whatIsNoLongerAllowedIsCutWithinASecondAndNothingElse() throws Exception {
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts(Outside.OTHER, Outside.OPEN, Outside.BOUND))) {
            String path = "/slow/e07";
            RunningCommand cut = download(sandbox, "https://" + Outside.OTHER + path);
            RunningCommand plain = download(sandbox, "http://" + Outside.BOUND + path);
            RunningCommand kept = download(sandbox, "https://" + Outside.OPEN + path);
            await().until(() ->
                    started(Outside.OTHER, path) && started(Outside.BOUND, path) && started(Outside.OPEN, path));

            long before = sandbox.info().policyGeneration();
            var info = sandbox.updateNetworkPolicy(NetworkPolicy.allowedHosts(Outside.OPEN));

            assertThat(info.policyGeneration()).isEqualTo(before + 1);
            assertThat(cut.waitFor(Duration.ofSeconds(1))).as("TLS").isPresent();
            assertThat(plain.waitFor(Duration.ofSeconds(1))).as("plain").isPresent();
            assertThat(kept.waitFor(Duration.ofSeconds(2))).as("still allowed").isEmpty();
            kept.kill();
        }
    }

    @Test
    void e09_aFirstHostAndAFirstSecretCanBeAddedLater() {
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts())) {
            assertThat(ask(sandbox, "GET", "https://" + Outside.OTHER + "/e09")).startsWith("refused");

            sandbox.updateNetworkPolicy(NetworkPolicy.allowedHosts()
                    .host(HostRule.inspect(Outside.OTHER)
                            .allow(RequestRule.any().setHeader("X-Key", "{secret}", Secret.named(KEY)))));

            assertThat(ask(sandbox, "GET", "https://" + Outside.OTHER + "/e09")).isEqualTo("200 ok");
        }
        assertThat(platform.outside().requestsFor(Outside.OTHER))
                .filteredOn(request -> request.target().equals("/e09"))
                .singleElement()
                .satisfies(request -> assertThat(request.headers()).containsEntry("x-key", REAL));
    }

    @Test
    void aGrantWorksAtOnceAndIsCutWhenItsTimeIsOver() throws Exception {
        try (Sandbox sandbox = with(NetworkPolicy.allowedHosts(Outside.OPEN))) {
            String url = "https://" + Outside.OTHER + "/slow/granted";
            assertThat(ask(sandbox, "GET", url)).startsWith("refused");

            platform.cli("sandbox", "allow", sandbox.id(), Outside.OTHER, "--for", "6s")
                    .orThrow();
            Instant asked = Instant.now();
            RunningCommand granted = download(sandbox, url);
            await().until(() -> started(Outside.OTHER, "/slow/granted"));

            assertThat(sandbox.info().policyEntries())
                    .filteredOn(entry -> entry.source().equals("grant"))
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.entry()).isEqualTo(Outside.OTHER);
                        assertThat(entry.expiresAt().orElseThrow()).isBefore(asked.plusSeconds(7));
                    });
            assertThat(granted.waitFor(Duration.ofSeconds(8))).as("cut").isPresent();
            assertThat(Duration.between(asked, Instant.now())).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
            assertThat(ask(sandbox, "GET", url)).startsWith("refused");
            assertThat(sandbox.info().policyEntries())
                    .noneMatch(entry -> entry.source().equals("grant"));
        }
    }

    @Test
    void e10_policyAndGrantsOutliveACrashOfThePlatformAndNothingIsWider() {
        String id;
        try (Slate client = platform.slate()) {
            Sandbox sandbox = client.sandbox()
                    .image(Platform.PYTHON)
                    .network(NetworkPolicy.allowedHosts(Outside.OPEN))
                    .run();
            id = sandbox.id();
            sandbox.updateNetworkPolicy(
                    NetworkPolicy.allowedHosts(Outside.BOUND).route("10.234.77.2/32", "80"));
            sandbox.allow(Outside.OTHER, Duration.ofHours(1));
            sandbox.allow(Outside.UNLISTED, Duration.ofSeconds(2));
        }
        Shell.run("kill", "-9", Long.toString(platform.pid()));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> ProcessHandle.of(platform.pid()).isEmpty());
        platform.up();

        try (Slate client = platform.slate();
                Sandbox sandbox = client.sandboxes().get(id)) {
            assertThat(ask(sandbox, "GET", "http://" + Outside.BOUND + "/e10")).isEqualTo("200 ok");
            assertThat(ask(sandbox, "GET", "http://" + Outside.OTHER + "/e10")).isEqualTo("200 ok");
            assertThat(ask(sandbox, "GET", "http://" + Intranet.ADDRESS + "/e10"))
                    .isEqualTo("200 intranet /e10");
            assertThat(ask(sandbox, "GET", "http://" + Outside.OPEN + "/e10")).startsWith("403");
            assertThat(ask(sandbox, "GET", "http://" + Outside.UNLISTED + "/e10"))
                    .startsWith("403");
            assertThat(sandbox.info().policyEntries())
                    .filteredOn(entry -> entry.source().equals("grant"))
                    .extracting(PolicyEntry::entry)
                    .containsExactly(Outside.OTHER);
        }
    }

    @Test
    void aDryRunSaysWhatHappens(@org.junit.jupiter.api.io.TempDir Path folder) throws Exception {
        NetworkPolicy policy = NetworkPolicy.allowedHosts(Outside.OTHER)
                .host(HostRule.inspect(Outside.OPEN)
                        .allow(RequestRule.any().methods("GET").path(TextMatch.prefix("/v1/"))));
        Path file = Files.writeString(folder.resolve("policy.json"), policy.toJson());
        try (Sandbox sandbox = with(policy)) {
            for (String[] request : List.of(
                    new String[] {"GET", Outside.OTHER, "/dry"},
                    new String[] {"GET", Outside.OPEN, "/v1/dry"},
                    new String[] {"PUT", Outside.OPEN, "/v1/dry"},
                    new String[] {"GET", Outside.OPEN, "/v1/../dry"},
                    new String[] {"GET", Outside.UNLISTED, "/dry"})) {
                boolean happened = ask(sandbox, request[0], "https://" + request[1] + request[2])
                        .startsWith("200");
                Access access = Access.to(request[1]).request(request[0], request[2]);
                var fromFile = platform.cli(
                        "policy",
                        "test",
                        "--policy",
                        file.toString(),
                        "--host",
                        request[1],
                        "--method",
                        request[0],
                        "--path",
                        request[2]);

                assertThat(sandbox.testNetworkPolicy(access).isAllowed())
                        .as(String.join(" ", request))
                        .isEqualTo(happened);
                assertThat(fromFile.exitCode()).as(fromFile.stdout()).isEqualTo(happened ? 0 : 1);
            }
            var inForce = platform.cli("sandbox", "policy", "get", sandbox.id(), "--json")
                    .orThrow();
            assertThat(inForce.stdout()).contains("\"generation\"", Outside.OPEN, "\"source\" : \"policy\"");
        }
    }

    private Sandbox with(NetworkPolicy policy) {
        return slate.sandbox().image(Platform.PYTHON).network(policy).run();
    }

    private static String ask(Sandbox sandbox, String method, String url) {
        return Python.run(sandbox, ASK, method, url).stdout().strip();
    }

    private static RunningCommand download(Sandbox sandbox, String url) {
        return sandbox.command("python3", "-c", DOWNLOAD, url).start();
    }

    private boolean started(String host, String path) {
        return platform.outside().requestsFor(host).stream()
                .anyMatch(request -> request.target().equals(path));
    }
}
