package dev.slate.sdk;

import java.time.Duration;
import java.util.function.Supplier;

/** Repeats a call that may be repeated while the platform restarts. */
final class Reconnect {

    private static final int TRIES = 8;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private int failures;

    <T> T call(Supplier<T> action) {
        while (true) {
            try {
                var result = action.get();
                failures = 0;
                return result;
            } catch (SlateException.Unavailable e) {
                pauseAfter(e);
            }
        }
    }

    /** Throws the failure again once there were too many in a row. About 25 seconds in all. */
    void pauseAfter(SlateException.Unavailable failure) {
        if (++failures >= TRIES) {
            throw failure;
        }
        try {
            Thread.sleep(FIRST_PAUSE.multipliedBy(1L << failures));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    void succeeded() {
        failures = 0;
    }
}
