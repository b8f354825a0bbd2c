package dev.slate.sdk.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** Runs an upload for each item, a few at a time, and fails with the first failure. */
public final class Uploads {

    private static final int AT_ONCE = 8;

    private Uploads() {}

    public static <T> void each(Collection<T> items, Consumer<T> upload) {
        var slots = new Semaphore(AT_ONCE);
        var running = new ArrayList<Future<?>>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var item : items) {
                running.add(executor.submit(() -> {
                    slots.acquire();
                    try {
                        upload.accept(item);
                    } finally {
                        slots.release();
                    }
                    return null;
                }));
            }
            try {
                for (var task : running) {
                    task.get();
                }
            } catch (ExecutionException | InterruptedException e) {
                executor.shutdownNow();
                throw rethrow(e);
            }
        }
    }

    private static RuntimeException rethrow(Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
}
