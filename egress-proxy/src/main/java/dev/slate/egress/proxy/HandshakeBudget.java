package dev.slate.egress.proxy;

import java.time.Duration;

/**
 * Spreads the TLS handshakes of one sandbox over time: so many at once are free, after that each gets a time of its own
 * (the generic cell rate algorithm). Thread-safe.
 */
final class HandshakeBudget {

    static final int PER_SECOND = 200;
    static final int BURST = 400;

    private static final long INTERVAL_NANOS = 1_000_000_000L / PER_SECOND;

    private boolean used;
    private long next;

    /**
     * Takes a turn.
     *
     * @param now a reading of {@link System#nanoTime}
     * @return how long until then; zero while the burst lasts
     */
    synchronized Duration next(long now) {
        if (!used || next - now < 0) {
            next = now;
            used = true;
        }
        var wait = next - now - (BURST - 1) * INTERVAL_NANOS;
        next += INTERVAL_NANOS;
        return Duration.ofNanos(Math.max(0, wait));
    }
}
