package dev.slate.benchmarks;

import dev.slate.sdk.Image;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Progress;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * From create to the first output of {@code echo}, image cached: one at a time, beside bare {@code runsc run} of the same
 * bundle in turns, and 20 at once. Needs a running platform on this host and root.
 */
final class StartBenchmark {
    private static final int ROUNDS = 30;
    private static final int WARM_UP = 5;
    private static final int AT_ONCE = 20;
    private static final Image IMAGE = Image.debianSlim();

    private final Slate slate;
    private final Timings cold = new Timings("slate create + echo");
    private final Timings bare = new Timings("bare runsc run echo");
    private final Timings exec = new Timings("slate exec true");
    private final Timings end = new Timings("slate terminate");
    private final Timings atOnce = new Timings("slate create + echo, " + AT_ONCE + " at once");

    private StartBenchmark(Slate slate) {
        this.slate = slate;
    }

    public static void main(String... arguments) throws Exception {
        String home = System.getenv().getOrDefault("SLATE_HOME", "/var/lib/slate");
        try (Slate slate = Slate.builder().progress(Progress.none()).build()) {
            new StartBenchmark(slate).run(Path.of(home));
        }
    }

    private void run(Path home) throws Exception {
        try (Sandbox template = slate.sandbox()
                        .image(IMAGE)
                        .network(NetworkPolicy.allowedHosts())
                        .run();
                BareRunsc peer = BareRunsc.like(template, home)) {
            for (int round = 0; round < WARM_UP; round++) {
                peer.run();
                startOne(new Timings("warm-up"), new Timings("warm-up"));
            }
            for (int round = 0; round < ROUNDS; round++) {
                bare.measure(peer::run);
                startOne(cold, end);
            }
            for (int round = 0; round < 10 * ROUNDS; round++) {
                exec.measure(() -> template.exec("true").orThrow());
            }
        }
        startManyAtOnce();
        print();
    }

    private void startOne(Timings started, Timings ended) {
        List<Sandbox> running = new ArrayList<>();
        started.measure(() -> running.add(echo()));
        running.forEach(sandbox -> ended.measure(sandbox::terminate));
    }

    private Sandbox echo() {
        Sandbox sandbox = slate.sandbox()
                .image(IMAGE)
                .network(NetworkPolicy.allowedHosts())
                .run();
        String output = sandbox.exec("echo", "hello").orThrow().stdout();
        if (!output.equals("hello\n")) {
            throw new IllegalStateException("echo gave: " + output);
        }
        return sandbox;
    }

    private void startManyAtOnce() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int number = 0; number < AT_ONCE; number++) {
                all.add(threads.submit(() -> startOne(atOnce, new Timings("end"))));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    private void print() {
        IO.println(Timings.header());
        for (Timings timings : List.of(bare, cold, atOnce, exec, end)) {
            IO.println(timings.row());
        }
        double ok = 100.0 * (cold.successes() + atOnce.successes()) / (cold.attempts() + atOnce.attempts());
        IO.println(String.format(
                Locale.ROOT,
                "RESULT start cold_vs_runsc=%.2f at20_p95_vs_single=%.2f ok=%.1f",
                cold.milliseconds(0.5) / bare.milliseconds(0.5),
                atOnce.milliseconds(0.95) / cold.milliseconds(0.5),
                ok));
    }
}
