package dev.slate.benchmarks;

import dev.slate.sdk.ExecResult;
import dev.slate.sdk.Image;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Progress;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Round trips of commands beside {@code runsc exec} of the same command in the same sandbox, in turns; then how fast
 * output and files pass, beside {@code cp}. Needs a running platform on this host and root.
 */
final class ExecBenchmark {
    private static final int ROUNDS = 100;
    private static final int WARM_UP = 300;
    private static final int AT_ONCE = 20;
    private static final int TRANSFERS = 3;
    private static final long STREAMED = 512L << 20;
    private static final long STREAMED_SMALL = 64L << 20;
    private static final int FILE = 256 << 20;

    private final Sandbox sandbox;
    private final RunscExec peer;
    private final Timings ours = new Timings("slate exec true");
    private final Timings theirs = new Timings("runsc exec true");
    private final Timings oursEcho = new Timings("slate exec echo");
    private final Timings theirsEcho = new Timings("runsc exec echo");
    private final Timings oursAtOnce = new Timings("slate exec true, " + AT_ONCE + " at once");
    private final Timings theirsAtOnce = new Timings("runsc exec true, " + AT_ONCE + " at once");
    private final Throughput streamed = new Throughput("streamed output, dd bs=1M");
    private final Throughput theirsStreamed = new Throughput("runsc exec, dd bs=1M");
    private final Throughput small = new Throughput("streamed output, head (8 KiB)");
    private final Throughput theirsSmall = new Throughput("runsc exec, head (8 KiB)");
    private final Throughput up = new Throughput("file up");
    private final Throughput down = new Throughput("file down");
    private final Throughput copied = new Throughput("cp");

    private ExecBenchmark(Sandbox sandbox, RunscExec peer) {
        this.sandbox = sandbox;
        this.peer = peer;
    }

    public static void main(String... arguments) throws Exception {
        Path home = Path.of(System.getenv().getOrDefault("SLATE_HOME", "/var/lib/slate"));
        try (Slate slate = Slate.builder().progress(Progress.none()).build();
                Sandbox sandbox = slate.sandbox()
                        .image(Image.debianSlim())
                        .memory("2Gi")
                        .network(NetworkPolicy.allowedHosts())
                        .run()) {
            new ExecBenchmark(sandbox, RunscExec.in(sandbox, home)).run();
        }
    }

    private void run() throws Exception {
        for (int round = 0; round < WARM_UP; round++) {
            exec("", "true");
        }
        for (int round = 0; round < ROUNDS; round++) {
            ours.measure(() -> exec("", "true"));
            theirs.measure(() -> peer.run("", "true"));
            oursEcho.measure(() -> echo());
            theirsEcho.measure(() -> peer.run("hello\n", "echo", "hello"));
        }
        for (int round = 0; round < ROUNDS / AT_ONCE; round++) {
            atOnce(oursAtOnce, () -> exec("", "true"));
            atOnce(theirsAtOnce, () -> peer.run("", "true"));
        }
        stream();
        files();
        print();
    }

    private void exec(String expected, String... command) {
        ExecResult result = sandbox.exec(command).orThrow();
        if (!result.stdout().equals(expected)) {
            throw new IllegalStateException("output: " + result.stdout());
        }
    }

    private void echo() throws IOException {
        try (var running = sandbox.command("echo", "hello").start()) {
            String output = new String(running.stdout().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (!output.equals("hello\n") || running.waitFor().exitCode() != 0) {
                throw new IllegalStateException("output: " + output);
            }
        }
    }

    private static void atOnce(Timings timings, Timings.Work work) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int number = 0; number < AT_ONCE; number++) {
                all.add(threads.submit(() -> timings.measure(work)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    /** A program decides how much it writes at once; with 8 KiB the system calls of gVisor are all that counts. */
    private void stream() throws Exception {
        String[] large = {"dd", "if=/dev/zero", "bs=1M", "count=" + (STREAMED >> 20), "status=none"};
        String[] pieces = {"head", "-c", Long.toString(STREAMED_SMALL), "/dev/zero"};
        for (int round = 0; round < TRANSFERS; round++) {
            streamed.measure(STREAMED, () -> streamed(STREAMED, large));
            theirsStreamed.measure(STREAMED, () -> peer.stream(STREAMED, large));
            small.measure(STREAMED_SMALL, () -> streamed(STREAMED_SMALL, pieces));
            theirsSmall.measure(STREAMED_SMALL, () -> peer.stream(STREAMED_SMALL, pieces));
        }
    }

    private void streamed(long bytes, String... command) {
        try (var running = sandbox.command(command).start()) {
            Counter counter = new Counter();
            running.copyTo(counter, OutputStream.nullOutputStream()).orThrow();
            if (counter.bytes != bytes) {
                throw new IllegalStateException("streamed bytes: " + counter.bytes);
            }
        }
    }

    private void files() throws Exception {
        Path folder = Files.createTempDirectory("slate-files");
        Path source = folder.resolve("source");
        Path target = folder.resolve("target");
        try {
            byte[] content = new byte[FILE];
            new Random(1).nextBytes(content);
            Files.write(source, content);
            for (int round = 0; round < TRANSFERS; round++) {
                copied.measure(FILE, () -> copy(source, target));
                up.measure(FILE, () -> sandbox.files().put(source, "/tmp/file"));
                down.measure(FILE, () -> sandbox.files().get("/tmp/file", target));
                if (Files.mismatch(source, target) >= 0) {
                    throw new IllegalStateException("the file came back changed");
                }
            }
        } finally {
            Files.deleteIfExists(source);
            Files.deleteIfExists(target);
            Files.delete(folder);
        }
    }

    private static void copy(Path source, Path target) throws IOException, InterruptedException {
        int status = new ProcessBuilder("cp", source.toString(), target.toString())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("cp: " + status);
        }
    }

    private void print() {
        IO.println(Timings.header());
        for (Timings timings : List.of(theirs, ours, theirsEcho, oursEcho, theirsAtOnce, oursAtOnce)) {
            IO.println(timings.row());
        }
        for (Throughput throughput : List.of(theirsStreamed, streamed, theirsSmall, small, copied, up, down)) {
            IO.println(throughput.row());
        }
        IO.println(String.format(
                Locale.ROOT,
                "RESULT exec ratio_p50=%.2f ratio_p99=%.2f at%d_p50=%.2f streamed_mbs=%.0f streamed_vs_runsc=%.2f up_vs_cp=%.2f down_vs_cp=%.2f",
                ours.milliseconds(0.5) / theirs.milliseconds(0.5),
                ours.milliseconds(0.99) / theirs.milliseconds(0.99),
                AT_ONCE,
                oursAtOnce.milliseconds(0.5) / theirsAtOnce.milliseconds(0.5),
                streamed.best(),
                streamed.best() / theirsStreamed.best(),
                up.best() / copied.best(),
                down.best() / copied.best()));
    }

    /** Counts what it is given. Confined to one thread. */
    private static final class Counter extends OutputStream {
        private long bytes;

        @Override
        public void write(int value) {
            bytes++;
        }

        @Override
        public void write(byte[] buffer, int offset, int length) {
            bytes += length;
        }
    }
}
