package dev.slate.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Outside;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Platform.Result;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Secret;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the tutorial "Locking down an AI agent in a sandbox" promises: statements B1 to B34. */
@OnPlatform
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TutorialE2E {
    private static final String RESET =
            "Request to %s: URLError <urlopen error [Errno 104] Connection reset by peer>".formatted(Outside.OPEN);
    private static final Pattern PLACEHOLDER =
            Pattern.compile("Key inside the sandbox: a placeholder: (__slate-secret-[0-9a-f]{32})\n");

    private Platform platform;
    private Slate slate;
    private Tutorial tutorial;

    @BeforeAll
    void runTheTutorial(Platform givenPlatform, Slate givenSlate) {
        platform = givenPlatform;
        slate = givenSlate;
        tutorial = Tutorial.on(platform);
    }

    @Test
    void b01_deployCreateAndRedeploySufficeAndAreNeeded() {
        try (Slate developer = platform.client(tokenWith("deploy.create", "deploy.redeploy"));
                Slate viewer = platform.client(tokenWith("deploy.read"));
                Sandbox sandbox = developer.sandbox().image(Platform.PYTHON).run()) {
            assertThat(sandbox.exec("true").exitCode()).isZero();
            assertThatThrownBy(() -> viewer.sandbox().image(Platform.PYTHON).run())
                    .isInstanceOf(SlateException.PermissionDenied.class)
                    .hasMessageContaining("deploy.create");
        }
    }

    @Test
    void aRealSecretInTheEnvironmentNeedsTheRightToReadIt() {
        slate.secrets().set("B01_KEY", SecretValue.of("real"));
        try (Slate developer = platform.client(tokenWith("deploy.create", "deploy.redeploy"))) {
            assertThatThrownBy(() -> developer
                            .sandbox()
                            .image(Platform.PYTHON)
                            .env("KEY", Secret.named("B01_KEY"))
                            .run())
                    .isInstanceOf(SlateException.PermissionDenied.class)
                    .hasMessageContaining("secrets.decrypt");
        }
    }

    @Test
    void b02_routerModelListShowsTheModels() {
        assertThat(tutorial.modelList.orThrow().stdout()).contains(Tutorial.MODEL);
    }

    @Test
    void b03_apiKeyCreatePrintsTheKeyOnce() {
        assertThat(tutorial.keyCreate.orThrow().stdout()).containsOnlyOnce(tutorial.key);
        assertThat(tutorial.key).hasSize(35);
        assertThat(platform.cli("router", "api-key", "list").orThrow().stdout())
                .doesNotContain(tutorial.key)
                .contains(tutorial.key.substring(0, 11));
    }

    @Test
    void b04_secretSetWithoutAValueReadsIt() {
        assertThat(tutorial.secretSet.exitCode()).isZero();
        assertThat(platform.cli("secret", "list").orThrow().stdout()).contains("AGENT_GATEWAY_KEY");
    }

    @Test
    void b05_configAndWhoAmIHaveTheRowsThatTheTutorialNeeds() {
        assertThat(tutorial.config.orThrow().stdout())
                .containsPattern("(?m)^API Server\\s+https://api\\.slate\\.internal$");
        assertThat(tutorial.whoAmI.orThrow().stdout()).containsPattern("(?m)^Env Id\\s+\\S+$");
    }

    @Test
    void b06_anUnmodifiedOpenAiClientReachesTheGatewayOverHttps() {
        assertThat(tutorial.step(2).orThrow().stdout()).contains("30.39%");
    }

    @Test
    void b07_toolCallsPassThrough() {
        assertThat(tutorial.stdout(1)).contains("--- ran 13 lines of Python");
    }

    @Test
    void b08_theAgentIsTheSameFileInAllSteps() throws IOException {
        try (Stream<java.nio.file.Path> files =
                Files.list(Platform.repository().resolve("examples/locked-down-agent"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".py"))).hasSize(1);
        }
        assertThat(tutorial.steps.values()).allMatch(result -> result.exitCode() == 0);
    }

    @Test
    void b09_theImageIsBuiltOnceAndUsedAgain() {
        assertThat(tutorial.step(1).stderr()).contains("step");
        assertThat(tutorial.step(2).stderr()).doesNotContain("apt");
    }

    @Test
    void b10_theDataFileIsUploadedToTheVolume() {
        var volume = slate.volume("b10-data").createIfMissing();
        volume.put(Platform.repository().resolve("examples/locked-down-agent/data/loans.csv"), "loans.csv");

        assertThat(volume.list()).anyMatch(file -> file.path().equals("loans.csv"));
        volume.delete();
    }

    @Test
    void b11_theNameIsFreeAgainAfterTermination() {
        for (int round = 0; round < 2; round++) {
            try (Sandbox sandbox =
                    slate.sandbox().name("b11").image(Platform.PYTHON).run()) {
                assertThat(sandbox.name()).isEqualTo("b11");
            }
        }
    }

    @Test
    void b12_runsWithoutAPolicyWithTheRealKeyInTheEnvironment() {
        assertThat(tutorial.step(1).exitCode()).isZero();
    }

    @Test
    void b13_theAnswerIsRight() {
        assertThat(tutorial.stdout(1))
                .startsWith("Question: Which loan purpose has the highest default rate?\n")
                .contains("small_business 0.30386740331491713")
                .containsPattern("Answer: .*\"small_business\".* approximately 30\\.39%");
    }

    @Test
    void b14_theOpenInternetIsReachableWithoutAPolicy() {
        assertThat(tutorial.stdout(1)).contains("Request to %s: 200\n".formatted(Outside.OPEN));
    }

    @Test
    void b15_theRealKeyIsInTheSandbox() {
        assertThat(tutorial.stdout(1)).contains("Key inside the sandbox: the real key (35 characters)\n");
    }

    @Test
    void b16_theAnswerIsTheSameUnderThePolicy() {
        assertThat(tutorial.stdout(2))
                .contains("small_business 0.30386740331491713")
                .contains("30.39%");
    }

    @Test
    void b17_aBlockedHostResetsTheConnection() {
        assertThat(tutorial.stdout(2)).contains(RESET);
    }

    @Test
    void b18_theKeyIsStillReal() {
        assertThat(tutorial.stdout(2)).contains("the real key (35 characters)");
    }

    @Test
    void b19_everyUnlistedHostIsRefused() {
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.OTHER))
                .run()) {
            for (String host : List.of(Outside.OPEN, Outside.UNLISTED, "example.com", "sub." + Outside.OTHER)) {
                assertThat(sandbox.exec("python3", "-c", get("https://" + host + "/"))
                                .stdout())
                        .as(host)
                        .contains("Connection reset by peer");
            }
        }
    }

    @Test
    void b20_theAgentWorksWithThePlaceholder() {
        assertThat(tutorial.step(3).orThrow().stdout()).contains("30.39%");
    }

    @Test
    void b21_theKeyIsAPlaceholder() {
        assertThat(tutorial.stdout(3)).containsPattern(PLACEHOLDER);
    }

    @Test
    void b22_theSwapHappensOnlyForTheBoundHostInAHeader() {
        slate.secrets().set("B22_KEY", SecretValue.of("the-real-value-of-b22"));
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.BOUND, Outside.OTHER))
                .credential(Outside.BOUND, "B22_KEY")
                .run()) {
            sandbox.exec("python3", "-c", getWithKey("https://" + Outside.BOUND + "/b22", "B22_KEY"))
                    .orThrow();
            sandbox.exec("python3", "-c", getWithKey("https://" + Outside.OTHER + "/b22", "B22_KEY"))
                    .orThrow();
        }
        assertThat(authorizations(Outside.BOUND, "/b22")).containsExactly("Bearer the-real-value-of-b22");
        assertThat(authorizations(Outside.OTHER, "/b22")).allMatch(value -> value.startsWith("Bearer __slate-secret-"));
    }

    @Test
    void b23_blockedHostsStillReset() {
        assertThat(tutorial.stdout(3)).contains(RESET);
    }

    @Test
    void b24_aVersionIsAnImmutableSnapshot() {
        var volume = slate.volume("b24").createIfMissing();
        var first = volume.putText("file", "one");
        volume.putText("file", "two");
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .volume(volume.at(first).mount("/data"))
                .run()) {
            assertThat(sandbox.exec("cat", "/data/file").stdout()).isEqualTo("one");
        }
        volume.delete();
    }

    @Test
    void b25_limitsAreEnforced() {
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .cpu("500m")
                .memory("256Mi")
                .lifetime(Duration.ofSeconds(20))
                .run()) {
            String burn = """
                    import time
                    start, used = time.time(), time.process_time()
                    while time.time() - start < 4: pass
                    print((time.process_time() - used) / (time.time() - start))
                    """;
            assertThat(Double.parseDouble(sandbox.exec("python3", "-c", burn)
                            .orThrow()
                            .stdout()
                            .strip()))
                    .isLessThan(1.2);
            var ended = sandbox.waitForEnd();
            assertThat(ended.cause()).hasToString("LIFETIME");
        }
    }

    @Test
    void b26_writingToASnapshotSucceedsInside() {
        assertThat(tutorial.stdout(4)).contains("Adding a row to /data/loans.csv inside the sandbox: done\n");
    }

    @Test
    void b27_whatWasWrittenToASnapshotIsNotSaved() {
        assertThat(tutorial.stdout(4)).contains("Row A99999 in the saved data: False\n");
    }

    @Test
    void b28_everySandboxHasAPlaceholderOfItsOwn() {
        assertThat(placeholder(4)).isNotEqualTo(placeholder(3));
        assertThat(tutorial.stdout(4)).contains(RESET);
    }

    @Test
    void b29_theKernelIsGvisors() {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run()) {
            String inside = sandbox.exec("cat", "/proc/version").orThrow().stdout();
            assertThat(inside).isNotEqualTo(dev.slate.e2e.stack.Shell.run("cat", "/proc/version"));
            assertThat(sandbox.exec("dmesg").stdout()).containsIgnoringCase("gVisor");
        }
    }

    @Test
    void b30_writesToTheLatestVersionAreSavedAtTheEnd() {
        var volume = slate.volume("b30").createIfMissing();
        volume.putText("kept", "before");
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .volume(volume.mount("/data"))
                .run()) {
            sandbox.exec("sh", "-c", "echo -n after > /data/kept; echo new > /data/added")
                    .orThrow();
        }
        assertThat(volume.readText("kept")).isEqualTo("after");
        assertThat(volume.versions()).hasSize(2);
        volume.delete();
    }

    @Test
    void b31_cleanUpDeletesTheVolume() {
        assertThat(tutorial.step(5).orThrow().stdout()).isEqualTo("Deleted volume loan-agent-data.\n");
        assertThat(slate.volumes().list()).noneMatch(volume -> volume.name().equals("loan-agent-data"));
    }

    @Test
    void b32_everyStepEndsItsSandbox() {
        assertThat(tutorial.liveAfter.values())
                .allSatisfy(live -> assertThat(live).doesNotContain("loan-agent"));
    }

    @Test
    void b33_aRevokedKeyIsRefused() throws Exception {
        var created = slate.router().createApiKey("b33");
        String list = platform.cli("router", "api-key", "list").orThrow().stdout();
        assertThat(list).contains(created.apiKey().hash());

        platform.cli("router", "api-key", "revoke", created.apiKey().hash()).orThrow();

        assertThat(gatewayStatus(created.key())).isEqualTo(401);
        slate.secrets().set("B33", SecretValue.of("x"));
        platform.cli("secret", "delete", "--name", "B33").orThrow();
        assertThat(slate.secrets().list().toString()).doesNotContain("B33");
    }

    @Test
    void b34_eachProtectionIsASettingOnTheSandbox() {
        String step4 = slateSource("Step4_Limits.java");

        assertThat(step4).contains(".network(", ".credential(", ".cpu(", ".memory(", ".lifetime(", "snapshot.mount(");
    }

    private SecretValue tokenWith(String... permissions) {
        var token = slate.serviceTokens().create("e2e", List.of(permissions));
        Result printed = platform.cli(
                Map.of(
                        "SLATE_CLIENT_ID",
                        token.token().clientId(),
                        "SLATE_CLIENT_SECRET",
                        token.clientSecret().reveal()),
                "",
                "token");
        return SecretValue.of(printed.orThrow().stdout().strip());
    }

    private List<String> authorizations(String host, String path) {
        return platform.outside().requestsFor(host).stream()
                .filter(request -> request.target().equals(path))
                .map(request -> request.headers().getOrDefault("authorization", ""))
                .toList();
    }

    private String placeholder(int step) {
        Matcher found = PLACEHOLDER.matcher(tutorial.stdout(step));
        assertThat(found.find()).as(tutorial.stdout(step)).isTrue();
        return found.group(1);
    }

    private int gatewayStatus(SecretValue key) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(platform.endpoint() + "/v1/router/models"))
                                    .header("Authorization", "Bearer " + key.reveal())
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static String slateSource(String file) {
        try {
            return Files.readString(Platform.repository().resolve("examples/locked-down-agent/" + file));
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    private static String get(String url) {
        return """
                import urllib.request
                try:
                    print(urllib.request.urlopen("%s", timeout=15).status)
                except Exception as error:
                    print(error)
                """.formatted(url);
    }

    private static String getWithKey(String url, String variable) {
        return """
                import os, urllib.request
                request = urllib.request.Request("%s", headers={"Authorization": "Bearer " + os.environ["%s"]})
                print(urllib.request.urlopen(request, timeout=15).status)
                """.formatted(url, variable);
    }
}
