package dev.slate.image.progress;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Runs that several callers may want at the same time: the first starts one, the others follow it. Thread-safe.
 *
 * @param <K> what makes two runs the same
 * @param <T> what they end with
 */
public final class SharedRuns<K, T> {
    private final Map<K, SharedRun<T>> running = new ConcurrentHashMap<>();

    /**
     * Starts or joins the run of the key, tells all that it has said and will say, and answers or fails as it does. A
     * caller that gives up does not end the run.
     */
    public T join(K key, Progress listener, Function<Progress, T> work) {
        return running.computeIfAbsent(key, _ -> start(key, work)).follow(listener);
    }

    private SharedRun<T> start(K key, Function<Progress, T> work) {
        SharedRun<T> run = new SharedRun<>();
        Thread.ofVirtual().name("image-build").start(() -> {
            try {
                run.execute(work);
            } finally {
                running.remove(key, run);
            }
        });
        return run;
    }
}
