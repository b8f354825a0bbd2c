package dev.slate.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Megabytes per second of one kind of transfer, the best of some rounds. Confined to one thread. */
final class Throughput {
    private final String name;
    private final List<Double> rates = new ArrayList<>();

    Throughput(String name) {
        this.name = name;
    }

    void measure(long bytes, Timings.Work work) throws Exception {
        long start = System.nanoTime();
        work.run();
        rates.add(bytes * 1e3 / (System.nanoTime() - start));
    }

    double best() {
        return rates.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }

    String row() {
        return String.format(Locale.ROOT, "%-34s %6d %9.0f MB/s", name, rates.size(), best());
    }
}
