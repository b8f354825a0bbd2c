package dev.slate.controlplane.sandbox;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs tasks at the same time, each on a virtual thread, and waits for all: none outlives the block that made it. */
final class Together implements AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> tasks = new ArrayList<>();

    <T> Future<T> run(Callable<T> task) {
        Future<T> future = threads.submit(task);
        tasks.add(future);
        return future;
    }

    /** Runs a task for its effect. */
    void start(Callable<?> task) {
        tasks.add(threads.submit(task));
    }

    /** Waits for all tasks; the first failure in the order they were given is thrown. */
    void join() {
        tasks.forEach(Together::get);
    }

    /** Waits for one task and gives its result, or throws what it threw. */
    static <T> T get(Future<T> task) {
        try {
            return task.get();
        } catch (ExecutionException failure) {
            switch (failure.getCause()) {
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new IllegalStateException(failure);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted", interrupted);
        }
    }

    /** Waits for the tasks; an interrupt is passed on to them. */
    @Override
    public void close() {
        threads.close();
    }
}
