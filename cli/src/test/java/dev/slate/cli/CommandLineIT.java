package dev.slate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.slate.testing.FakePlatform;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program in this process, against a fake platform. */
class CommandLineIT {

    @TempDir
    private Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private FakePlatform platform;
    private String out = "";
    private String err = "";

    @BeforeEach
    void start() {
        platform = FakePlatform.start();
        environment.put("SLATE_ENDPOINT", platform.endpoint());
        environment.put("SLATE_TOKEN", FakePlatform.TOKEN);
        environment.put("SLATE_PROGRESS", "off");
        environment.put("XDG_CONFIG_HOME", folder.toString());
        environment.put("SLATE_HOME", folder.resolve("home").toString());
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void showsTheRowsThatTheTutorialNames() {
        assertThat(slate("whoami")).isZero();
        assertThat(out).containsPattern("Env Id +5d1a2c1e-0000-4000-8000-000000000001");

        assertThat(slate("config")).isZero();
        assertThat(out).containsPattern("API Server +https://api.slate.internal");
    }

    @Test
    void printsJson() throws IOException {
        slate("config", "--json");

        assertThat(json().path("apiServer").asText()).isEqualTo("https://api.slate.internal");
        assertThat(json().path("endpoint").asText()).isEqualTo(platform.endpoint());
    }

    @Test
    void keepsSecrets() {
        assertThat(slate("secret", "set", "A=one=1")).isZero();
        slate("secret", "set", "B=two");

        slate("secret", "list");
        assertThat(out).contains("A ", "B ").doesNotContain("one", "two");
        slate("secret", "get", "--name", "A");
        assertThat(out).isEqualTo("one=1\n");
        slate("secret", "delete", "--name", "A");
        assertThat(slate("secret", "get", "--name", "A")).isEqualTo(1);
        assertThat(err).isEqualTo("slate: secret A not found (NOT_FOUND)\n");
    }

    @Test
    void managesGatewayKeys() throws IOException {
        slate("router", "api-key", "create", "--description", "tutorial");
        assertThat(out.strip()).hasSize(35).startsWith("sl-");

        slate("router", "api-key", "list", "--json");
        var hash = json().path(0).path("hash").asText();
        assertThat(slate("router", "api-key", "revoke", hash)).isZero();
        assertThat(slate("router", "api-key", "revoke", "--hash", hash)).isZero();

        slate("router", "api-key", "list");
        assertThat(out).contains(hash, "revoked", "tutorial").doesNotContain("445566");
    }

    @Test
    void listsModelsOfConnections() {
        environment.put("PROVIDER_KEY", "sk");
        slate(
                "router",
                "connection",
                "put",
                "main",
                "--base-url",
                "http://a/v1",
                "--prefix",
                "x/",
                "--key-env",
                "PROVIDER_KEY");

        slate("router", "model", "list");

        assertThat(out).containsPattern("x/small +main");
    }

    @Test
    void runsCommandsInTheBackground() throws IOException {
        slate("sandbox", "create", "-n", "a");
        assertThat(slate("sandbox", "exec", "--detach", "a", "--", "sleep", "9"))
                .isZero();
        var execId = out.strip();

        slate("sandbox", "ps", "a");
        assertThat(out).containsPattern(execId + " +running +- +\\d+d +sleep 9");
        assertThat(slate("sandbox", "kill", "a", execId, "--tree")).isZero();
        slate("sandbox", "ps", "a");
        assertThat(out).doesNotContain(execId);
        slate("sandbox", "ps", "a", "--all", "--json");
        assertThat(json().path(0).path("end").path("how").asText()).isEqualTo("signaled");
        assertThat(json().path(0).path("end").path("signal").asInt()).isEqualTo(15);
        assertThat(slate("sandbox", "attach", "a", execId)).isEqualTo(143);
        assertThat(slate("sandbox", "logs", "a", "unknown")).isEqualTo(1);
        assertThat(err).contains("NOT_FOUND");
    }

    @Test
    void createsAndEndsSandboxes() throws IOException {
        slate(
                "sandbox",
                "create",
                "-n",
                "a",
                "--cpu",
                "500m",
                "--memory",
                "2Gi",
                "--lifetime",
                "15m",
                "--host",
                "api.example.com",
                "--credential",
                "api.example.com=KEY",
                "--secret-env",
                "KEY2",
                "--volume",
                "data@3:/data",
                "--env",
                "A=1",
                "--json");
        assertThat(json().path("state").asText()).isEqualTo("RUNNING");
        assertThat(json().path("cpuMillis").asInt()).isEqualTo(500);
        assertThat(json().path("lifetime").asText()).isEqualTo("PT15M");
        assertThat(json().path("policy").path("hosts").path(0).asText()).isEqualTo("api.example.com");
        assertThat(json().path("volumes").path(0).path("version").asInt()).isEqualTo(3);
        assertThat(json().path("endedAt").isNull()).isTrue();

        slate("sandbox", "get", "a");
        assertThat(out).containsPattern("State +running").containsPattern("Volumes +data@3:/data");
        slate("sandbox", "egress", "a");
        assertThat(out).contains("denied", "evil.example.com:443", "host_not_allowed");
        assertThat(slate("sandbox", "terminate", "--name", "a")).isZero();
        assertThat(out).startsWith("terminated sandbox ");
        slate("sandbox", "list");
        assertThat(out).doesNotContain("running");
        slate("sandbox", "list", "--all");
        assertThat(out).contains("terminated");
    }

    @Test
    void showsReplacesAndTriesPolicies() throws IOException {
        var file = Files.writeString(folder.resolve("policy.json"), """
                {"hosts": ["pypi.org", {"host": "api.example.com", "rules": [{"methods": ["GET"],
                 "path": {"prefix": "/v1/"}, "setHeaders": [{"name": "X-A", "value": "{secret}", "secret": "KEY"}]}]}],
                 "routes": ["10.1.0.0/16:5432,8000-8100"], "denied": ["10.1.9.0/24"]}
                """);
        assertThat(slate("sandbox", "create", "-n", "a", "--policy", file.toString()))
                .isZero();
        assertThat(err).contains("network: allowed hosts [pypi.org]");

        slate("sandbox", "policy", "get", "a", "--json");
        var policy = json().path("policy");
        assertThat(policy.path("routes").path(0).asText()).isEqualTo("10.1.0.0/16:5432,8000-8100");
        assertThat(policy.path("hosts")
                        .path(1)
                        .path("rules")
                        .path(0)
                        .path("setHeaders")
                        .path(0)
                        .path("secret")
                        .asText())
                .isEqualTo("KEY");
        Files.writeString(folder.resolve("again.json"), policy.toString());
        assertThat(slate(
                        "sandbox",
                        "policy",
                        "set",
                        "a",
                        "--policy",
                        folder.resolve("again.json").toString()))
                .isZero();
        slate("sandbox", "policy", "get", "a", "--json");
        assertThat(json().path("policy")).isEqualTo(policy);

        assertThat(slate("policy", "test", "--sandbox", "a", "--host", "pypi.org"))
                .isZero();
        assertThat(out).containsPattern("Decision +allowed");
        assertThat(slate("policy", "test", "--policy", file.toString(), "--host", "evil.example"))
                .isEqualTo(1);
        assertThat(out).contains("host_not_allowed");
        assertThat(slate("sandbox", "allow", "a", "other.example", "--for", "5m"))
                .isZero();
        assertThat(out).startsWith("allowed other.example until ");
        slate("sandbox", "get", "a");
        assertThat(out).containsPattern("  other.example +grant");

        assertThat(slate(
                        "sandbox",
                        "policy",
                        "set",
                        "a",
                        "--host",
                        "a.example",
                        "--route",
                        "10.1.0.0/16:5432",
                        "--deny",
                        "10.1.9.0/24",
                        "--observe"))
                .isZero();
        slate("sandbox", "get", "a");
        assertThat(out).contains("OBSERVED");
        slate("sandbox", "policy", "get", "a", "--json");
        assertThat(json().path("policy").path("routes").path(0).asText()).isEqualTo("10.1.0.0/16:5432");
    }

    @Test
    void refusesPoliciesThatContradictThemselves() throws IOException {
        slate("sandbox", "create", "-n", "a");
        var file = Files.writeString(folder.resolve("policy.json"), "{\"hosts\": [], \"allow\": []}")
                .toString();

        assertThat(slate("sandbox", "policy", "set", "a")).isEqualTo(1);
        assertThat(err).contains("no policy");
        assertThat(slate("sandbox", "policy", "set", "a", "--no-network", "--host", "x.example"))
                .isEqualTo(1);
        assertThat(err).contains("--no-network: together with");
        assertThat(slate("sandbox", "policy", "set", "a", "--policy", file)).isEqualTo(1);
        assertThat(err).contains("unknown field allow");
        assertThat(slate("sandbox", "policy", "set", "a", "--policy", file, "--observe"))
                .isEqualTo(1);
        assertThat(err).contains("--policy: together with");
        assertThat(slate("policy", "test", "--host", "a.example")).isEqualTo(1);
        assertThat(err).contains("either --policy FILE or --sandbox NAME");
    }

    @Test
    void passesTheExitStatusOnAndRemoves() throws IOException {
        assertThat(slate("sandbox", "create", "-n", "a", "--no-network", "--rm", "--", "exit", "7"))
                .isEqualTo(7);

        slate("sandbox", "list", "--json");
        assertThat(json()).isEmpty();
    }

    @Test
    void runsCommandsByName() {
        slate("sandbox", "create", "-n", "a");

        assertThat(slate("sandbox", "exec", "--name", "a", "--", "echo", "-n", "x"))
                .isZero();
        assertThat(slate("sandbox", "exec", "a", "--", "exit", "3")).isEqualTo(3);
        assertThat(slate("sandbox", "exec", "a", "--", "nothing")).isEqualTo(127);
    }

    @Test
    void refusesATerminalWhereThereIsNone() {
        slate("sandbox", "create", "-n", "a");

        assertThat(slate("sandbox", "exec", "-it", "a", "--", "tty")).isEqualTo(1);
        assertThat(err).contains("-t: standard input is not a terminal");
    }

    @Test
    void refusesPortsThatAreNone() {
        slate("sandbox", "create", "-n", "a");

        assertThat(slate("sandbox", "forward", "a", "70000")).isEqualTo(1);
        assertThat(err).contains("port: 70000 (expected: PORT or LOCAL:PORT");
        assertThat(slate("sandbox", "forward", "a", "x:80")).isEqualTo(1);
    }

    @Test
    void keepsFilesInVolumes() throws IOException {
        var local = Files.writeString(folder.resolve("loans.csv"), "id\n");

        slate("volume", "put", "data", local.toString());
        assertThat(out).isEqualTo("stored version 1\n");
        slate("volume", "ls", "data");
        assertThat(out).contains("loans.csv");
        slate("volume", "get", "data", "loans.csv", folder.resolve("copy").toString());
        assertThat(folder.resolve("copy")).hasContent("id\n");
        slate("volume", "versions", "data", "--json");
        assertThat(json().path(0).path("number").asInt()).isEqualTo(1);
        slate("volume", "delete", "data");
        assertThat(out).isEqualTo("deleted volume data\n");
    }

    @Test
    void buildsImagesWithStepsInOrder() throws IOException {
        slate("image", "build", "--run", "echo 1", "--apt", "git,curl", "--run", "echo 2", "--json");
        var digest = json().path("digest").asText();

        assertThat(json().path("layers").asInt()).isEqualTo(4);
        slate("image", "build", "--run", "echo 1", "--apt", "git,curl", "--run", "echo 2");
        assertThat(out.strip()).isEqualTo(digest);
        slate("image", "build", "--run", "echo 2", "--apt", "git,curl", "--run", "echo 1");
        assertThat(out.strip()).isNotEqualTo(digest);
    }

    @Test
    void remembersALogin() {
        environment.remove("SLATE_TOKEN");
        environment.put("SLATE_CLIENT_SECRET", FakePlatform.CLIENT_SECRET);

        assertThat(slate("login", "--client-id", FakePlatform.CLIENT_ID)).isZero();
        environment.remove("SLATE_ENDPOINT");
        environment.remove("SLATE_CLIENT_SECRET");

        assertThat(slate("whoami")).isZero();
        slate("token");
        assertThat(out).isEqualTo(FakePlatform.TOKEN + "\n");
    }

    @Test
    void saysWhatToDoWhenNobodyIsSignedIn() {
        environment.remove("SLATE_TOKEN");

        assertThat(slate("sandbox", "list")).isEqualTo(1);
        assertThat(err).startsWith("slate: not signed in to").contains("slate login");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "sandbox nonsense", "secret get", "sandbox list --nonsense", "run"})
    void endsWithTwoWhenUsedWrongly(String line) {
        assertThat(slate(line.split(" ", -1))).isEqualTo(2);
        assertThat(err).isNotEmpty();
        assertThat(out).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--volume data:relative", "--env A", "--credential host", "--lifetime soon", "--cpu much"})
    void namesAValueThatIsWrong(String options) {
        var words = ("sandbox create " + options).split(" ", -1);

        assertThat(slate(words)).isEqualTo(1);
        assertThat(err).startsWith("slate: ").contains(words[3], "expected: ");
    }

    @Test
    void reportsStatusOfAHomeThatIsDown() {
        assertThat(slate("status")).isEqualTo(1);
        assertThat(out).containsPattern("State +down");
    }

    @Test
    void printsCompletion() {
        assertThat(slate("completion", "bash")).isZero();
        assertThat(out).contains("complete -F _complete_slate");
    }

    private int slate(String... words) {
        var outText = new StringWriter();
        var errText = new StringWriter();
        var status = Main.commandLine(environment)
                .setOut(new PrintWriter(outText, true))
                .setErr(new PrintWriter(errText, true))
                .execute(words);
        out = outText.toString();
        err = errText.toString();
        return status;
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out);
    }
}
