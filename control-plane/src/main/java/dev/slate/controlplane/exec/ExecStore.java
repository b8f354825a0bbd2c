package dev.slate.controlplane.exec;

import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.runtime.SandboxId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keeps the records of commands. Each method is one unit of work. Thread-safe. */
interface ExecStore {
    /** Adds a command that is about to start; false if its sandbox has one with that id. */
    boolean add(ExecRecord command);

    /** Forgets a command that was refused. */
    void remove(ExecKey key);

    Optional<ExecRecord> find(ExecKey key);

    /** Newest first. */
    List<ExecRecord> list(SandboxId sandbox, boolean runningOnly, TimeCursor after, int limit);

    /** Those without an end. */
    List<ExecKey> running();

    /** Those of a sandbox without an end. */
    List<ExecKey> running(SandboxId sandbox);

    /** Writes ends; the first one counts, but a real one replaces a loss. */
    void end(Map<ExecKey, ExecRecord.End> ends);

    /** Removes all but the newest ended commands of each sandbox, and those of sandboxes that ended so long ago. */
    void prune(int keptPerSandbox, Duration keptAfterEnd);
}
