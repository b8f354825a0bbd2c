package dev.slate.image.progress;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** One run and everything it said, so that whoever comes later hears it from the start. Thread-safe. */
final class SharedRun<T> {
    /** Output beyond this is not told to followers; the log file has it. */
    private static final int KEPT_OUTPUT = 8 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<BuildEvent> events = new ArrayList<>();
    private int output;
    private Optional<Outcome<T>> outcome = Optional.empty();

    private sealed interface Outcome<T> {
        record Done<T>(T value) implements Outcome<T> {}

        record Failed<T>(Throwable cause) implements Outcome<T> {}
    }

    void execute(Function<Progress, T> work) {
        Outcome<T> result;
        try {
            result = new Outcome.Done<>(work.apply(this::add));
        } catch (RuntimeException | Error e) {
            result = new Outcome.Failed<>(e);
        }
        lock.lock();
        try {
            outcome = Optional.of(result);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void add(BuildEvent event) {
        lock.lock();
        try {
            if (event instanceof BuildEvent.Log(var step, var bytes)) {
                if (output > KEPT_OUTPUT) {
                    return;
                }
                output += bytes.length;
                if (output > KEPT_OUTPUT) {
                    byte[] mark = "\n… more output is only in the log of the build\n".getBytes(StandardCharsets.UTF_8);
                    events.add(new BuildEvent.Log(step, mark));
                    changed.signalAll();
                    return;
                }
            }
            events.add(event);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    T follow(Progress listener) {
        int told = 0;
        while (true) {
            List<BuildEvent> news = await(told);
            if (news.isEmpty()) {
                return result();
            }
            news.forEach(listener::event);
            told += news.size();
        }
    }

    /** Waits for events that were not told yet; none means that the run has ended. */
    private List<BuildEvent> await(int told) {
        lock.lock();
        try {
            while (events.size() == told && outcome.isEmpty()) {
                changed.await();
            }
            return List.copyOf(events.subList(told, events.size()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "waiting for a build was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private T result() {
        lock.lock();
        try {
            return switch (outcome.orElseThrow()) {
                case Outcome.Done<T>(var value) -> value;
                case Outcome.Failed<T>(PlatformException cause) ->
                    throw new PlatformException(cause.code(), String.valueOf(cause.getMessage()), cause);
                case Outcome.Failed<T>(var cause) -> throw new IllegalStateException("the build failed", cause);
            };
        } finally {
            lock.unlock();
        }
    }
}
