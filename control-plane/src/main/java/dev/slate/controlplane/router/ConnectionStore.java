package dev.slate.controlplane.router;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps connections with their encrypted keys. */
interface ConnectionStore {
    /** Adds a connection, or replaces the one with that name. */
    Stored put(String environment, Connection connection, Optional<Envelope> key, Instant now);

    /** The connections of an environment in the order of their names. */
    List<Stored> list(String environment);

    /** Forgets a connection; false if there is none. */
    boolean delete(String environment, String name);

    /** A connection, its encrypted key and when it was made. */
    record Stored(Connection connection, Optional<Envelope> key, Instant createdAt) {}

    /** An encrypted key. */
    // An array as a component is compared by identity, which nobody does here.
    @SuppressWarnings("ArrayRecordComponent")
    record Envelope(byte[] bytes) {}
}
