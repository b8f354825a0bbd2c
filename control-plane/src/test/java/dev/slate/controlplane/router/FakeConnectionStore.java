package dev.slate.controlplane.router;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps the connections of one environment in memory. */
final class FakeConnectionStore implements ConnectionStore {
    private final ConcurrentSkipListMap<String, Stored> connections = new ConcurrentSkipListMap<>();

    @Override
    public Stored put(String environment, Connection connection, Optional<Envelope> key, Instant now) {
        Stored stored = new Stored(connection, key, now);
        connections.put(connection.name(), stored);
        return stored;
    }

    @Override
    public List<Stored> list(String environment) {
        return List.copyOf(connections.values());
    }

    @Override
    public boolean delete(String environment, String name) {
        return connections.remove(name) != null;
    }
}
