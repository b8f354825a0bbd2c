package dev.slate.controlplane.router;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Remembers for a moment what a lookup found, so that a burst of requests asks the database once, while a change that
 * another replica makes counts within that moment. What was not found is not remembered. Thread-safe.
 */
final class ShortCache<K, V> {
    private static final long LIFETIME_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConcurrentHashMap<K, Entry<V>> entries = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

    /** What is remembered, or what the lookup finds now. */
    Optional<V> get(K key, Function<K, Optional<V>> lookup) {
        Entry<V> entry = entries.get(key);
        if (entry != null && System.nanoTime() - entry.since() < LIFETIME_NANOS) {
            return Optional.of(entry.value());
        }
        long since = System.nanoTime();
        long seen = changes.get();
        Optional<V> found = lookup.apply(key);
        if (found.isEmpty()) {
            entries.remove(key);
            return found;
        }
        entries.put(key, new Entry<>(found.get(), since));
        if (changes.get() != seen) {
            // Something was changed during the lookup, which may have seen the state before.
            entries.remove(key);
        }
        return found;
    }

    /** Forgets an entry because it has changed. */
    void forget(K key) {
        changes.incrementAndGet();
        entries.remove(key);
    }

    private record Entry<V>(V value, long since) {}
}
