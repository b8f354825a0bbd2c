package dev.slate.runsc;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Gives out slot numbers in turn: never one that is in use, nor one that was given back less than the quarantine ago.
 *
 * <p>Not thread-safe: {@link SandboxNetwork} guards it.
 */
final class SlotNumbers {

    private final int count;
    private final Duration quarantine;
    private final InstantSource clock;
    private final Set<Integer> used = new HashSet<>();
    private final Map<Integer, Instant> released = new HashMap<>();
    private int next;

    SlotNumbers(int count, Duration quarantine, int first, Collection<Integer> used, InstantSource clock) {
        this.count = count;
        this.quarantine = quarantine;
        this.clock = clock;
        this.used.addAll(used);
        next = Math.floorMod(first, count);
    }

    int take() {
        Instant now = clock.instant();
        released.values().removeIf(at -> !at.plus(quarantine).isAfter(now));
        for (int tried = 0; tried < count; tried++) {
            int number = next;
            next = (next + 1) % count;
            if (!released.containsKey(number) && used.add(number)) {
                return number;
            }
        }
        throw new RunscException("network slots: all " + count + " are in use or rest (expected: a larger subnet)");
    }

    void giveBack(int number) {
        if (used.remove(number)) {
            released.put(number, clock.instant());
        }
    }

    /** Where the next process has to go on, so that a restart does not cut the quarantine short. */
    int next() {
        return next;
    }
}
