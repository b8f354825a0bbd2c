package dev.slate.controlplane.router;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps gateway keys by their hashes. */
interface GatewayKeyStore {
    /** Adds a new key. */
    void add(GatewayKey key, String createdBy);

    /** A key of any environment, revoked ones included. */
    Optional<GatewayKey> find(String hash);

    /** Keys of an environment in the order of their hashes. */
    List<GatewayKey> list(String environment, PageRequest page);

    /** Marks a key as revoked for ever; false if the environment has no such key. */
    boolean revoke(String environment, String hash, Instant now);
}
