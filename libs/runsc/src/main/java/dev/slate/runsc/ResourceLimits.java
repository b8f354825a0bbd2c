package dev.slate.runsc;

/**
 * What a container may use; 0 means no limit.
 *
 * <p>{@code processes} bounds the host tasks. gVisor itself needs about 30 and each guest process takes two to four
 * more, so {@link #hostTasks} adds head-room: the sentry must not be the one that fails to start a thread, because it
 * would end the sandbox.
 */
public record ResourceLimits(long cpuMillis, long memoryBytes, long processes) {

    private static final long SENTRY_TASKS = 128;
    private static final long TASKS_OF_A_PROCESS = 4;
    private static final long SMALLEST_MEMORY = 64L << 20;
    private static final long SMALLEST_CPU = 10;

    public static final ResourceLimits NONE = new ResourceLimits(0, 0, 0);

    public ResourceLimits {
        if (cpuMillis != 0 && cpuMillis < SMALLEST_CPU) {
            throw new IllegalArgumentException("cpu: " + cpuMillis + "m (expected: 0 or at least 10m)");
        }
        if (memoryBytes != 0 && memoryBytes < SMALLEST_MEMORY) {
            throw new IllegalArgumentException("memory: " + memoryBytes + " bytes (expected: 0 or at least 64 MiB)");
        }
        if (processes < 0) {
            throw new IllegalArgumentException("processes: " + processes + " (expected: 0 or more)");
        }
    }

    /** The kernel's limit on tasks: what the guest may have and what gVisor needs to serve it. */
    long hostTasks() {
        return processes == 0 ? 0 : SENTRY_TASKS + TASKS_OF_A_PROCESS * processes;
    }
}
