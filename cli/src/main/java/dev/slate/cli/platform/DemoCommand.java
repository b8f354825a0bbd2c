package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Environment;
import dev.slate.cli.common.Install;
import dev.slate.cli.source.SourceFile;
import dev.slate.sdk.Slate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code slate demo}: the steps of {@code examples/locked-down-agent}, one after the other.
 *
 * <p>The steps learn the model and the probe's address from {@code SLATE_EXAMPLE_MODEL} and
 * {@code SLATE_EXAMPLE_PROBE_URL}.
 */
@Command(
        name = "demo",
        description = "Run the locked-down agent, step by step, with a scripted offline model unless OPENAI_API_KEY,"
                + " OPENROUTER_API_KEY or --base-url names a real one.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {

    @Option(names = "--base-url", paramLabel = "URL", description = "An OpenAI-compatible provider.")
    private @Nullable URI baseUrl;

    @Option(names = "--model", paramLabel = "MODEL", description = "As the gateway lists it; default: a fitting one.")
    private String model = "";

    @Option(
            names = "--probe-url",
            paramLabel = "URL",
            description = "What the steps ask for to see whether the open internet is reachable.")
    private String probeUrl = "";

    @Mixin
    private final ListenOptions listen = new ListenOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        var err = spec.commandLine().getErr();
        var variables = Environment.of(spec);
        var home = SlateHome.of(variables);
        var platform = new Platform(variables, err, probeSettings());
        // What was running before goes on afterwards.
        var startsIt = PlatformProcess.find(home).isEmpty();
        // What is killed by Ctrl-C cleans up too.
        var onExit = new Thread(platform::down);
        if (startsIt) {
            Runtime.getRuntime().addShutdownHook(onExit);
        }
        try {
            say(err, "starting the platform");
            platform.up(listen.listen());
            return run(err, variables, home);
        } finally {
            if (startsIt) {
                say(err, "stopping the platform");
                Runtime.getRuntime().removeShutdownHook(onExit);
                platform.down();
            }
        }
    }

    /** A host that the user names may have a private address, such as a mirror inside a company. */
    private Map<String, String> probeSettings() {
        return probeUrl.isEmpty()
                ? Map.of()
                : Map.of(
                        "SLATE_EGRESS_PRIVATE_HOSTS",
                        Objects.requireNonNull(URI.create(probeUrl).getHost(), "--probe-url"));
    }

    private int run(PrintWriter err, Map<String, String> variables, SlateHome home) {
        try (var slate = Slate.fromEnvironment(variables);
                var provider = DemoProvider.connect(slate, variables, Optional.ofNullable(baseUrl))) {
            say(err, provider.description());
            return runSteps(err, environment(slate, home, provider));
        }
    }

    private Map<String, String> environment(Slate slate, SlateHome home, DemoProvider provider) {
        var environment = new LinkedHashMap<String, String>();
        environment.put("SLATE_HOME", home.path().toString());
        environment.put("SLATE_ENVIRONMENT_ID", slate.whoAmI().environmentId());
        environment.put("SLATE_EXAMPLE_API_HOST", slate.configuration().platformHost());
        environment.put("SLATE_EXAMPLE_MODEL", model.isEmpty() ? provider.model() : model);
        if (!probeUrl.isEmpty()) {
            environment.put("SLATE_EXAMPLE_PROBE_URL", probeUrl);
        }
        return environment;
    }

    private static int runSteps(PrintWriter err, Map<String, String> environment) {
        for (var step : steps()) {
            say(err, "=== " + step.getFileName() + " ===");
            var status = new SourceFile(step).run(environment, List.of());
            if (status != 0) {
                say(err, "slate: " + step.getFileName() + " ended with exit status " + status);
                return status;
            }
        }
        return 0;
    }

    /** {@code Step1_….java} to {@code Step5_….java}. */
    private static List<Path> steps() {
        var folder = Install.root().resolve("examples/locked-down-agent");
        try (Stream<Path> files = Files.list(folder)) {
            var steps = files.filter(file -> file.getFileName().toString().matches("Step[1-9]_\\w+\\.java"))
                    .sorted()
                    .toList();
            if (steps.isEmpty()) {
                throw new CommandFailure("no steps in " + folder);
            }
            return steps;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + folder, e);
        }
    }

    private static void say(PrintWriter err, String text) {
        err.println(text);
        err.flush();
    }
}
