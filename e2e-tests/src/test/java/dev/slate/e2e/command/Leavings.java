package dev.slate.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What commands could leave behind, in the agent and in the platform. */
record Leavings(
        long processes, long zombies, long agentDescriptors, long agentThreads, long descriptors, long threads) {
    /** Threads and connections come and go with what else happens. */
    private static final long SLACK = 12;

    static Leavings of(Sandbox sandbox, Platform platform) {
        String[] counts =
                sandbox.exec("python3", "-c", """
                        import os, glob
                        stats = []
                        for name in glob.glob('/proc/[0-9]*/stat'):
                            try: stats.append(open(name).read().rsplit(')')[1].split()[0])
                            except OSError: pass
                        print(len(stats), stats.count('Z'), len(os.listdir('/proc/1/fd')), len(os.listdir('/proc/1/task')))
                        """).orThrow().stdout().strip().split(" ", -1);
        Path process = Path.of("/proc/" + platform.pid());
        return new Leavings(
                Long.parseLong(counts[0]),
                Long.parseLong(counts[1]),
                Long.parseLong(counts[2]),
                Long.parseLong(counts[3]),
                entries(process.resolve("fd")),
                entries(process.resolve("task")));
    }

    void assertNoMoreThan(Leavings before) {
        System.out.println("commands leave: " + before + " -> " + this);
        assertThat(zombies).isZero();
        assertThat(processes).isLessThanOrEqualTo(before.processes);
        assertThat(agentDescriptors).isLessThanOrEqualTo(before.agentDescriptors + 2);
        assertThat(agentThreads).isLessThanOrEqualTo(before.agentThreads + 2);
        assertThat(descriptors).isLessThanOrEqualTo(before.descriptors + SLACK);
        assertThat(threads).isLessThanOrEqualTo(before.threads + SLACK);
    }

    private static long entries(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
