package dev.slate.e2e.journey;

import dev.slate.e2e.stack.Outside;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Platform.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** One run of the tutorial by the command line, as its text says, and what every command printed. */
final class Tutorial {
    static final String MODEL = "offline/loan-analyst";

    /** Prints of the set-up, by what was done. */
    final Result modelList;

    final Result keyCreate;
    final String key;
    final Result secretSet;
    final Result config;
    final Result whoAmI;

    /** Prints of the steps by their number. */
    final Map<Integer, Result> steps = new LinkedHashMap<>();

    /** Names of live sandboxes after each step. */
    final Map<Integer, String> liveAfter = new LinkedHashMap<>();

    private final Platform platform;

    private Tutorial(Platform platform) {
        this.platform = platform;
        try (OfflineModel model = OfflineModel.start(platform)) {
            platform.cli(
                            "router",
                            "connection",
                            "put",
                            "offline",
                            "--base-url",
                            model.baseUrl(),
                            "--prefix",
                            "offline/",
                            "--no-key")
                    .orThrow();
            this.modelList = platform.cli("router", "model", "list");
            this.keyCreate = platform.cli("router", "api-key", "create", "--description", "Locked-down agent tutorial");
            this.key = keyCreate
                    .stdout()
                    .lines()
                    .flatMap(line -> java.util.regex.Pattern.compile("sl-[0-9a-f]{32}")
                            .matcher(line)
                            .results())
                    .map(java.util.regex.MatchResult::group)
                    .findFirst()
                    .orElse("");
            this.secretSet = platform.cli(Map.of(), key + "\n", "secret", "set", "AGENT_GATEWAY_KEY");
            this.config = platform.cli("config");
            this.whoAmI = platform.cli("whoami");
            run(1, "Step1_Unrestricted.java");
            run(2, "Step2_Network.java");
            run(3, "Step3_Key.java");
            run(4, "Step4_Limits.java");
            run(5, "Step5_Cleanup.java");
        }
    }

    static Tutorial on(Platform platform) {
        return new Tutorial(platform);
    }

    /** What a step printed and how it ended. */
    Result step(int number) {
        return Objects.requireNonNull(steps.get(number));
    }

    String stdout(int number) {
        return step(number).stdout();
    }

    private void run(int number, String file) {
        Map<String, String> settings = Map.of(
                "SLATE_EXAMPLE_MODEL",
                MODEL,
                "SLATE_EXAMPLE_PROBE_URL",
                "https://" + Outside.OPEN + "/",
                "SLATE_ENVIRONMENT_ID",
                environmentId());
        Result result = platform.cli(
                settings,
                "",
                "run",
                Platform.repository()
                        .resolve("examples/locked-down-agent/" + file)
                        .toString());
        steps.put(number, result);
        liveAfter.put(number, platform.cli("sandbox", "list").stdout());
    }

    private String environmentId() {
        return whoAmI.stdout()
                .lines()
                .filter(line -> line.startsWith("Env Id"))
                .map(line -> line.substring("Env Id".length()).strip())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no Env Id in:\n" + whoAmI.stdout()));
    }

    /** The scripted provider of the examples, as a process. */
    record OfflineModel(Process process, String baseUrl) implements AutoCloseable {
        static OfflineModel start(Platform platform) {
            try {
                Process process = platform.start(
                        Map.of(),
                        "run",
                        Platform.repository()
                                .resolve("examples/offline-model/OfflineModel.java")
                                .toString());
                BufferedReader out =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                String first = out.readLine();
                if (first == null) {
                    throw new AssertionError(
                            new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
                }
                return new OfflineModel(process, first.strip());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() {
            try {
                process.getOutputStream().close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            } finally {
                process.destroy();
            }
        }
    }
}
