package dev.slate.controlplane.secret;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps the envelopes of secrets; it never sees a value. */
interface SecretStore {
    /** Adds a secret, or replaces the envelope of the one with that name. */
    Secret put(String environment, SecretName name, byte[] envelope, Instant now);

    /** The secret with a name. */
    Optional<Sealed> find(String environment, SecretName name);

    /** Secrets of an environment in the order of their names. */
    List<Secret> list(String environment, PageRequest page);

    /** Forgets a secret; false if there is none. */
    boolean delete(String environment, SecretName name);

    /** A secret and its encrypted value. */
    // An array as a component is compared by identity, which nobody does here.
    @SuppressWarnings("ArrayRecordComponent")
    record Sealed(Secret secret, byte[] envelope) {}
}
