package dev.slate.controlplane.runtime;

import java.util.Optional;
import java.util.Set;

/**
 * Runs sandboxes. Every method may be repeated, also after a crash in the middle of an earlier call. Thread-safe; calls
 * about the same sandbox come one at a time.
 */
public interface SandboxRuntime {
    /** Refuses limits that this runtime cannot enforce. */
    void check(Resources resources);

    /** Gives the sandbox its place on the network; the same answer when it has one. */
    SandboxNetwork connect(SandboxId id);

    /** Starts the sandbox and returns when its agent answers. What an earlier attempt left is replaced. */
    AgentAddress start(Workload workload);

    /** Where the agent of a running sandbox is, empty when the sandbox does not run. */
    Optional<AgentAddress> find(SandboxId id);

    /** Waits until the sandbox has ended by itself or by {@link #kill}, and says why as far as the kernel knows. */
    Exit awaitExit(SandboxId id) throws InterruptedException;

    /** Ends all processes of the sandbox at once. An unknown one is fine. */
    void kill(SandboxId id);

    /** Frees everything of a killed sandbox: network, control groups, mounts, files. */
    void remove(SandboxId id);

    /** What is here of this install, running or in pieces. */
    Set<SandboxId> list();

    /** What the sandbox uses now. */
    Usage usage(SandboxId id);

    /** How a sandbox ended that nobody ended. */
    enum Exit {
        /** The kernel ended it at its memory limit. */
        OUT_OF_MEMORY,
        /** Its processes are gone. */
        GONE
    }

    /** A sandbox's address, and the address of the host as the sandbox sees it. */
    record SandboxNetwork(String address, String gateway) {}

    /** What a sandbox uses now. */
    record Usage(long cpuNanos, long memoryBytes, long tasks) {}
}
