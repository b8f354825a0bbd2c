package dev.slate.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slate.sdk.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The peer: {@code runsc run} of the bundle that a running sandbox was started from, with {@code echo} in place of the
 * agent, without network and control groups. It has less to do than a sandbox: no policy, no network, no limits, no name.
 */
final class BareRunsc implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;

    private BareRunsc(Path folder) {
        this.folder = folder;
    }

    static BareRunsc like(Sandbox sandbox, Path home) throws IOException {
        Path bundles = home.resolve("runsc/bundles");
        Path original;
        try (Stream<Path> files = Files.walk(bundles, 2)) {
            original = files.filter(file -> file.endsWith("config.json"))
                    .filter(file -> file.toString().contains(sandbox.id()))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no bundle of sandbox " + sandbox.id() + " in " + bundles));
        }
        Path folder = Files.createTempDirectory("slate-bare");
        ObjectNode config = (ObjectNode) JSON.readTree(original.toFile());
        ObjectNode process = (ObjectNode) config.get("process");
        process.putArray("args").add("echo").add("hello");
        process.put("cwd", "/");
        ((ObjectNode) config.get("root")).put("readonly", true);
        ObjectNode linux = (ObjectNode) config.get("linux");
        linux.remove("resources");
        linux.remove("cgroupsPath");
        for (var namespace : linux.get("namespaces")) {
            ((ObjectNode) namespace).remove("path");
        }
        JSON.writeValue(folder.resolve("config.json").toFile(), config);
        return new BareRunsc(folder);
    }

    /** From the start of {@code runsc run} to its end. */
    void run() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "runsc",
                        "--root=" + folder.resolve("state"),
                        "--platform=systrap",
                        "--network=none",
                        "--ignore-cgroups",
                        "run",
                        "--bundle=" + folder,
                        "bare-" + UUID.randomUUID())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS)
                || process.exitValue() != 0
                || !output.strip().equals("hello")) {
            process.destroyForcibly();
            throw new IOException("runsc run: " + output);
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
