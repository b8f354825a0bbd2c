package dev.slate.controlplane.router;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps gateway keys in memory. */
final class FakeGatewayKeyStore implements GatewayKeyStore {
    private final ConcurrentSkipListMap<String, GatewayKey> keys = new ConcurrentSkipListMap<>();

    @Override
    public void add(GatewayKey key, String createdBy) {
        keys.put(key.hash(), key);
    }

    @Override
    public Optional<GatewayKey> find(String hash) {
        return Optional.ofNullable(keys.get(hash));
    }

    @Override
    public List<GatewayKey> list(String environment, PageRequest page) {
        return keys.tailMap(page.after(), false).values().stream()
                .filter(key -> key.environment().equals(environment))
                .limit(page.fetch())
                .toList();
    }

    @Override
    public boolean revoke(String environment, String hash, Instant now) {
        Optional<GatewayKey> found = find(hash).filter(key -> key.environment().equals(environment));
        found.ifPresent(key -> keys.put(
                hash, new GatewayKey(hash, environment, key.prefix(), key.description(), key.createdAt(), true)));
        return found.isPresent();
    }
}
