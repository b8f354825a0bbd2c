package dev.slate.controlplane.runtime.local;

import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.runsc.RunningContainer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices that sandboxes have ended. Their processes are not children of this one, so nothing but looking tells; one
 * thread looks at all of them. Thread-safe.
 */
final class ExitWatch implements AutoCloseable {
    private static final long PAUSE_MILLIS = 200;

    private final Map<SandboxId, Watched> watched = new ConcurrentHashMap<>();
    private final Thread thread;

    ExitWatch() {
        thread = Thread.ofPlatform().daemon().name("sandbox-exits").start(this::look);
    }

    /** Completes when the sandbox has ended, for whatever cause. */
    CompletableFuture<Void> watch(SandboxId id, RunningContainer container) {
        return watched.computeIfAbsent(id, _ -> new Watched(container, new CompletableFuture<>()))
                .exit();
    }

    /** It was ended on purpose. */
    void forget(SandboxId id) {
        Watched gone = watched.remove(id);
        if (gone != null) {
            gone.exit().complete(null);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void look() {
        while (!Thread.currentThread().isInterrupted()) {
            watched.forEach((_, entry) -> {
                if (!entry.container().isAlive()) {
                    entry.exit().complete(null);
                }
            });
            watched.values().removeIf(entry -> entry.exit().isDone());
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private record Watched(RunningContainer container, CompletableFuture<Void> exit) {}
}
