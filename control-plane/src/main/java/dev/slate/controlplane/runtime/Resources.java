package dev.slate.controlplane.runtime;

import dev.slate.common.error.PlatformException;

/** What a sandbox may use. The kernel enforces all three. */
public record Resources(int cpuMillis, long memoryBytes, int pids) {
    /** What a specification that says nothing gets: one CPU, 2 GiB, 1024 processes. */
    public static final Resources DEFAULT = new Resources(1000, 2L << 30, 1024);

    private static final int LEAST_CPU = 100;
    private static final int MOST_CPU = 1_000_000;
    private static final long LEAST_MEMORY = 128L << 20;
    private static final long MOST_MEMORY = 1L << 44;
    private static final int LEAST_PIDS = 8;
    private static final int MOST_PIDS = 1 << 20;

    public Resources {
        if (cpuMillis < LEAST_CPU || cpuMillis > MOST_CPU) {
            throw PlatformException.invalid("cpu", cpuMillis + "m", "100m to 1000000m");
        }
        if (memoryBytes < LEAST_MEMORY || memoryBytes > MOST_MEMORY) {
            throw PlatformException.invalid("memory", memoryBytes + " bytes", "128 MiB to 16 TiB");
        }
        if (pids < LEAST_PIDS || pids > MOST_PIDS) {
            throw PlatformException.invalid("pids", pids, "8 to 1048576");
        }
    }
}
