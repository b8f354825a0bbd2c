package dev.slate.controlplane.identity;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Keeps service tokens with the hashes of their secrets. */
interface ServiceTokenStore {
    /** Adds a new token. */
    void add(ServiceToken token, String secretHash, String createdBy);

    /** A token of any environment, revoked ones included. */
    Optional<Stored> find(String clientId);

    /** Tokens of an environment in the order of their client ids. */
    List<ServiceToken> list(String environment, PageRequest page);

    /** Marks a token as revoked for ever; false if the environment has no such token. */
    boolean revoke(String environment, String clientId, Instant now);

    /** The client ids of all revoked tokens. */
    Set<String> revoked();

    /** A token and the hash of its secret. */
    record Stored(ServiceToken token, String secretHash) {}
}
