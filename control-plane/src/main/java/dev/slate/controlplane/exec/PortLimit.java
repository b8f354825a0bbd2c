package dev.slate.controlplane.exec;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.runtime.SandboxId;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the connections to ports of each sandbox. Thread-safe. */
@Singleton
class PortLimit {
    /** Fewer than the agent accepts in all, so that commands and files always find a connection. */
    static final int MOST = 128;

    private final Map<SandboxId, Integer> open = new ConcurrentHashMap<>();

    /** Counts one more connection until the place is closed; RESOURCE_EXHAUSTED if there is none left. */
    Place take(SandboxId sandbox) {
        open.compute(sandbox, (_, count) -> {
            if (count != null && count >= MOST) {
                throw new PlatformException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "open connections to ports of the sandbox: %d (the limit)".formatted(MOST));
            }
            return count == null ? 1 : count + 1;
        });
        return () -> open.computeIfPresent(sandbox, (_, count) -> count == 1 ? null : count - 1);
    }

    /** One counted connection. */
    interface Place extends AutoCloseable {
        @Override
        void close();
    }
}
