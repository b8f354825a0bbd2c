package dev.slate.controlplane.exec;

import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which commands a call is starting or following now. Thread-safe. */
@Singleton
class Attention {
    private final Map<ExecKey, Integer> calls = new ConcurrentHashMap<>();

    /** Until it is closed a call looks after the command. */
    Hold hold(ExecKey key) {
        calls.merge(key, 1, Integer::sum);
        return () -> calls.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
    }

    boolean isHeld(ExecKey key) {
        return calls.containsKey(key);
    }

    /** The attention of one call. */
    interface Hold extends AutoCloseable {
        @Override
        void close();
    }
}
