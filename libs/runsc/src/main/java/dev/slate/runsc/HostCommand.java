package dev.slate.runsc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a short host program with an empty environment, a time limit and its output as text. */
final class HostCommand {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    record Result(int exitCode, String output) {}

    private HostCommand() {}

    /** Runs the program and returns what it printed; fails when it fails. */
    static String run(List<String> command, String input) {
        Result result = tryRun(command, input);
        if (result.exitCode() != 0) {
            throw new RunscException(String.join(" ", command) + ": exit code " + result.exitCode() + ": "
                    + result.output().strip());
        }
        return result.output();
    }

    static String run(String... command) {
        return run(List.of(command), "");
    }

    /** Runs the program; failing is an answer too. The input must fit into a pipe together with the output. */
    static Result tryRun(List<String> command, String input) {
        ProcessBuilder builder = builder(command).redirectErrorStream(true);
        Process process = null;
        try {
            process = builder.start();
            Process started = process;
            Thread feeder = Thread.ofVirtual().start(() -> feed(started, input));
            Thread guard = Thread.ofVirtual().start(() -> killWhenLate(started));
            String output;
            try (InputStream stream = process.getInputStream()) {
                output = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            }
            int exitCode = process.waitFor();
            guard.interrupt();
            feeder.join();
            return new Result(exitCode, output);
        } catch (IOException e) {
            throw new RunscException(command.getFirst() + ": cannot be run", e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new RunscException(command.getFirst() + ": interrupted", e);
        }
    }

    /** A process of ours gets no environment: nothing of the platform's may end up near a sandbox. */
    static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        return builder;
    }

    private static void feed(Process process, String input) {
        try (OutputStream stream = process.getOutputStream()) {
            stream.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The program ended without reading all of it: its exit code says why.
            return;
        }
    }

    private static void killWhenLate(Process process) {
        try {
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static UncheckedIOException unchecked(IOException e) {
        return new UncheckedIOException(e);
    }
}
