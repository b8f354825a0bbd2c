package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Install;
import dev.slate.sdk.Progress;
import dev.slate.sdk.SandboxState;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import dev.slate.sdk.internal.CredentialsFile;
import dev.slate.sdk.internal.Endpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The platform of one host: starts it, stops it, and removes what it left. */
final class Platform {

    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    /** Ends of the platform take a second or two; the first one also writes the cache for later starts. */
    private static final Duration STOP_LIMIT = Duration.ofMinutes(3);

    private static final Duration POLL = Duration.ofMillis(50);
    private static final int SHOWN_LOG_LINES = 25;

    private final SlateHome home;
    private final Map<String, String> environment;
    private final PrintWriter err;
    private final Map<String, String> settings;

    /** Where to listen. The two ports after it are the proxy's. */
    record Listen(String host, int port) {

        static final int DEFAULT_PORT = 7080;

        Listen {
            if (port < 1 || port > 65_533) {
                throw new IllegalArgumentException("port: " + port + " (expected: 1 to 65533)");
            }
        }

        /** How clients on this host reach it. */
        String endpoint() {
            var everywhere = "0.0.0.0".equals(host) || "::".equals(host);
            return "http://" + (everywhere ? "127.0.0.1" : host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    Platform(Map<String, String> environment, PrintWriter err) {
        this(environment, err, Map.of());
    }

    /** With settings for the platform that the environment may override. */
    Platform(Map<String, String> environment, PrintWriter err, Map<String, String> settings) {
        this.settings = settings;
        this.home = SlateHome.of(environment);
        this.environment = environment;
        this.err = err;
    }

    /** Starts it in the background unless it runs, and waits until it is ready. True when it was started here. */
    boolean up(Listen listen) {
        home.create();
        try (var channel = FileChannel.open(home.upLock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            var running = PlatformProcess.find(home);
            if (running.isPresent()) {
                awaitReady(running.get(), home.endpoint().orElseGet(listen::endpoint));
                return false;
            }
            rotateLog();
            var process = launch(listen)
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(Redirect.appendTo(home.log().toFile()))
                    .redirectErrorStream(true)
                    .start();
            var started = new PlatformProcess(process.toHandle());
            started.remember(home);
            Files.writeString(home.endpointFile(), listen.endpoint());
            awaitReady(started, listen.endpoint());
            signIn(listen.endpoint());
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the platform", e);
        }
    }

    /** Runs it in this terminal until it is stopped. */
    int foreground(Listen listen) {
        home.create();
        if (PlatformProcess.find(home).isPresent()) {
            throw new CommandFailure("the platform runs already; stop it with: slate down");
        }
        try {
            Files.writeString(home.endpointFile(), listen.endpoint());
            var process = launch(listen).inheritIO().start();
            new PlatformProcess(process.toHandle()).remember(home);
            var onExit = new Thread(() -> new PlatformProcess(process.toHandle()).stop(STOP_LIMIT));
            Runtime.getRuntime().addShutdownHook(onExit);
            var status = process.waitFor();
            Runtime.getRuntime().removeShutdownHook(onExit);
            return status;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the platform", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }

    /** Ends all sandboxes, stops the process, and removes what a killed one left. */
    void down() {
        var running = PlatformProcess.find(home);
        if (running.isPresent()) {
            terminateSandboxes();
            if (!PlatformProgram.installed().isCurrent()) {
                err.println("slate: stopping, and keeping what makes later starts fast (once; up to a minute)");
                err.flush();
            }
            if (!running.get().stop(STOP_LIMIT)) {
                throw new CommandFailure(
                        "the platform (process " + running.get().handle().pid() + ") still runs after "
                                + STOP_LIMIT.toSeconds() + " s; see: slate logs");
            }
        }
        if (home.exists()) {
            cleanup();
            PlatformProcess.forget(home);
        }
    }

    private void cleanup() {
        var builder = java(PlatformProgram.installed().taskOptions(), List.of("cleanup"));
        builder.environment().put("SLATE_HOME", home.path().toString());
        try {
            var process = builder.redirectInput(
                            Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(Redirect.appendTo(home.log().toFile()))
                    .redirectErrorStream(true)
                    .start();
            if (process.waitFor() != 0) {
                throw new CommandFailure("cannot remove all that the platform left; see: slate logs");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove what the platform left", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }

    /** So that what they wrote to volumes is kept. A platform that does not answer is stopped all the same. */
    private void terminateSandboxes() {
        var token = SlateHome.read(home.ownerToken());
        var endpoint = home.endpoint();
        if (token.isEmpty() || endpoint.isEmpty()) {
            return;
        }
        try (var slate = Slate.builder()
                .endpoint(URI.create(endpoint.get()), SecretValue.of(token.get()))
                .progress(Progress.none())
                .build()) {
            for (var sandbox : slate.sandboxes().list()) {
                if (sandbox.state() != SandboxState.TERMINATED && sandbox.state() != SandboxState.FAILED) {
                    slate.sandboxes().get(sandbox.id()).terminate();
                    err.println("terminated sandbox " + (sandbox.name().isEmpty() ? sandbox.id() : sandbox.name()));
                    err.flush();
                }
            }
        } catch (SlateException e) {
            err.println("slate: could not end all sandboxes first: " + e.getMessage());
        }
    }

    private ProcessBuilder launch(Listen listen) {
        // A session of its own, so that Ctrl-C in this terminal does not reach it.
        var builder = java(PlatformProgram.installed().runOptions(), List.of());
        builder.command().addFirst("setsid");
        builder.environment()
                .putAll(Map.of(
                        "SLATE_HOME", home.path().toString(),
                        "SLATE_LISTEN", listen.host(),
                        "SLATE_HTTP_PORT", Integer.toString(listen.port()),
                        "SLATE_EGRESS_PORT", Integer.toString(listen.port() + 1),
                        "SLATE_EGRESS_DNS_PORT", Integer.toString(listen.port() + 2),
                        "LC_ALL", "C.UTF-8"));
        settings.forEach(builder.environment()::putIfAbsent);
        return builder;
    }

    private ProcessBuilder java(List<String> options, List<String> arguments) {
        var command = new ArrayList<>(List.of(Install.java().toString()));
        command.addAll(options);
        // Libraries unpack native code and caches there; all of it goes with the home.
        command.add("-Djava.io.tmpdir=" + home.temporary());
        var extra = environment.getOrDefault("SLATE_JAVA_OPTIONS", "").strip();
        if (!extra.isEmpty()) {
            command.addAll(List.of(extra.split("\\s+")));
        }
        command.add(PlatformProgram.MAIN_CLASS);
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private void awaitReady(PlatformProcess process, String endpoint) {
        var deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (!Readiness.isReady(endpoint)) {
            if (!process.alive()) {
                PlatformProcess.forget(home);
                throw new CommandFailure("the platform ended while it started:\n" + endOfLog());
            }
            if (System.nanoTime() > deadline) {
                throw new CommandFailure("the platform is not ready after " + START_LIMIT.toSeconds() + " s:\n"
                        + endOfLog() + "\nstop it with: slate down");
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }

    private String endOfLog() {
        var lines = SlateHome.read(home.log()).orElse("").lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LOG_LINES), lines.size()));
    }

    private void rotateLog() throws IOException {
        if (Files.exists(home.log()) && Files.size(home.log()) > 10_000_000) {
            Files.move(home.log(), home.log().resolveSibling("platform.1.log"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Only the host's own install becomes where this user is signed in; others are named by SLATE_HOME. */
    private void signIn(String endpoint) {
        if (home.isDefault()) {
            SlateHome.read(home.ownerToken())
                    .ifPresent(token -> CredentialsFile.of(environment)
                            .write(CredentialsFile.Entry.ofToken(Endpoint.parse(endpoint), token)));
        }
    }
}
