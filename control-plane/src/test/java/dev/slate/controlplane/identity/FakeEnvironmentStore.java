package dev.slate.controlplane.identity;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps environments in memory. */
final class FakeEnvironmentStore implements EnvironmentStore {
    private final Map<String, Environment> kept = new ConcurrentHashMap<>();

    @Override
    public Environment findOrCreate(Environment candidate, Instant now) {
        return kept.computeIfAbsent(candidate.name(), _ -> candidate);
    }
}
