package dev.slate.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Times of one kind of work, and how many attempts failed. Guards itself. */
final class Timings {
    private final String name;
    private final List<Long> nanos = new ArrayList<>();
    private int failures;

    /** Something to time; an exception counts as a failure. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    Timings(String name) {
        this.name = name;
    }

    void measure(Work work) {
        long start = System.nanoTime();
        try {
            work.run();
            add(System.nanoTime() - start);
        } catch (Exception failure) {
            fail(failure);
        }
    }

    synchronized void add(long value) {
        nanos.add(value);
    }

    synchronized int attempts() {
        return nanos.size() + failures;
    }

    synchronized int successes() {
        return nanos.size();
    }

    synchronized double milliseconds(double quantile) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int index = (int) Math.ceil(quantile * sorted.length) - 1;
        return sorted[Math.max(0, Math.min(sorted.length - 1, index))] / 1e6;
    }

    String row() {
        return String.format(
                Locale.ROOT,
                "%-34s %6d %9.1f %9.1f %9.1f %8.1f",
                name,
                attempts(),
                milliseconds(0.5),
                milliseconds(0.95),
                milliseconds(0.99),
                100.0 * successes() / Math.max(1, attempts()));
    }

    static String header() {
        return String.format(Locale.ROOT, "%-34s %6s %9s %9s %9s %8s", "", "n", "p50 ms", "p95 ms", "p99 ms", "ok %");
    }

    private synchronized void fail(Exception failure) {
        failures++;
        IO.println(name + " failed: " + failure + " "
                + Arrays.stream(failure.getStackTrace()).findFirst().orElse(null));
    }
}
