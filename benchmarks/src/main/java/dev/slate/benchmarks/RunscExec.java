package dev.slate.benchmarks;

import dev.slate.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The peer: {@code runsc exec} into the container of a running sandbox, with its output read from a pipe. Thread-safe. */
final class RunscExec {
    private final List<String> prefix;

    private RunscExec(List<String> prefix) {
        this.prefix = prefix;
    }

    static RunscExec in(Sandbox sandbox, Path home) throws IOException {
        try (Stream<Path> bundles = Files.list(home.resolve("runsc/bundles"))) {
            String container = bundles.map(bundle -> bundle.getFileName().toString())
                    .filter(name -> name.contains(sandbox.id()))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no bundle of sandbox " + sandbox.id() + " in " + home));
            return new RunscExec(List.of("runsc", "--root=" + home.resolve("runsc/state"), "exec", container));
        }
    }

    /** From the start of {@code runsc exec} to its end. */
    void run(String expected, String... command) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0 || !output.equals(expected)) {
            process.destroyForcibly();
            throw new IOException("runsc exec: " + output);
        }
    }

    /** Reads the output of a command and throws it away. */
    void stream(long expected, String... command) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        long bytes = 0;
        byte[] buffer = new byte[256 * 1024];
        try (InputStream output = process.getInputStream()) {
            for (int count; (count = output.read(buffer)) >= 0; ) {
                bytes += count;
            }
        }
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0 || bytes != expected) {
            process.destroyForcibly();
            throw new IOException("runsc exec: " + bytes + " bytes (expected: " + expected + ")");
        }
    }
}
