package dev.slate.controlplane.sandbox;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Ends a process of the platform before or after one of its calls to the outside: that call and all later ones throw.
 * Even numbers crash before the effect, odd ones after it.
 */
final class CrashPoint {
    private final int at;
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean crashed;

    private CrashPoint(int at) {
        this.at = at;
    }

    static CrashPoint none() {
        return new CrashPoint(-1);
    }

    static CrashPoint at(int step) {
        return new CrashPoint(step);
    }

    boolean hasCrashed() {
        return crashed;
    }

    <T> T call(Supplier<T> effect) {
        crashIf(count.getAndIncrement() == at);
        T result = effect.get();
        crashIf(count.getAndIncrement() == at);
        return result;
    }

    void run(Runnable effect) {
        var _ = call(() -> {
            effect.run();
            return true;
        });
    }

    private void crashIf(boolean now) {
        if (now) {
            crashed = true;
        }
        if (crashed) {
            throw new Crash();
        }
    }

    /** The process is gone. Not an exception that anything may handle. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("the process is gone", null, false, false);
        }
    }
}
