package dev.slate.controlplane.router;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.secret.Envelopes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Sets, lists and deletes connections, and finds the one for a model. Thread-safe. */
@Singleton
class Connections {
    private static final Logger LOG = Logger.getLogger(Connections.class);
    private static final int LIMIT = 100;
    private static final int MAX_KEY_BYTES = 8 * 1024;

    private final ConnectionStore store;
    private final Envelopes envelopes;
    private final Clock clock;
    private final ShortCache<String, List<ConnectionStore.Stored>> known = new ShortCache<>();

    Connections(ConnectionStore store, Envelopes envelopes, Clock clock) {
        this.store = store;
        this.envelopes = envelopes;
        this.clock = clock;
    }

    /** Creates or replaces a connection and its key. */
    ConnectionStore.Stored put(Caller caller, Connection connection, Optional<SecretValue> key) {
        caller.require(Permission.ROUTER_WRITE);
        key.ifPresent(Connections::check);
        checkPrefix(caller, connection);
        return save(
                caller,
                connection,
                key.map(value ->
                        new ConnectionStore.Envelope(envelopes.seal(place(caller.environment(), connection), value))));
    }

    /** Replaces a connection and keeps its key, which never goes to another server than the one it was given for. */
    ConnectionStore.Stored putKeepingKey(Caller caller, Connection connection) {
        caller.require(Permission.ROUTER_WRITE);
        checkPrefix(caller, connection);
        Optional<ConnectionStore.Stored> old = store.list(caller.environment()).stream()
                .filter(stored -> stored.connection().name().equals(connection.name()))
                .findAny();
        if (old.filter(stored -> stored.key().isPresent()
                        && !stored.connection().origin().equals(connection.origin()))
                .isPresent()) {
            throw PlatformException.invalid(
                    "keep_key", true, "the key again, as the base URL leads to another server than before");
        }
        return save(caller, connection, old.flatMap(ConnectionStore.Stored::key));
    }

    /** The connections of the caller's environment. */
    List<ConnectionStore.Stored> list(Caller caller) {
        caller.require(Permission.ROUTER_READ);
        return store.list(caller.environment());
    }

    /** Forgets a connection and its key. */
    void delete(Caller caller, String name) {
        caller.require(Permission.ROUTER_WRITE);
        if (!store.delete(caller.environment(), name)) {
            throw PlatformException.notFound("connection", name);
        }
        known.forget(caller.environment());
        LOG.infof("connection deleted connection=%s by=%s", name, caller.subject());
    }

    /** The connection whose prefix is the longest that a model name starts with. */
    Optional<Route> route(String environment, String model) {
        return stored(environment).stream()
                .filter(stored -> stored.connection().upstreamName(model).isPresent())
                .max(Comparator.comparingInt(
                        stored -> stored.connection().modelPrefix().length()))
                .map(stored -> new Route(
                        provider(environment, stored),
                        stored.connection().upstreamName(model).orElseThrow()));
    }

    /** All connections of an environment, ready for calls. */
    List<Provider> providers(String environment) {
        return stored(environment).stream()
                .map(stored -> provider(environment, stored))
                .toList();
    }

    private List<ConnectionStore.Stored> stored(String environment) {
        return known.get(environment, key -> Optional.of(store.list(key))).orElseThrow();
    }

    private ConnectionStore.Stored save(Caller caller, Connection connection, Optional<ConnectionStore.Envelope> key) {
        ConnectionStore.Stored stored = store.put(caller.environment(), connection, key, clock.instant());
        known.forget(caller.environment());
        LOG.infof(
                "connection set connection=%s origin=%s by=%s",
                connection.name(), connection.origin(), caller.subject());
        return stored;
    }

    private void checkPrefix(Caller caller, Connection connection) {
        List<Connection> others = store.list(caller.environment()).stream()
                .map(ConnectionStore.Stored::connection)
                .filter(other -> !other.name().equals(connection.name()))
                .toList();
        if (others.size() >= LIMIT) {
            throw new PlatformException(
                    ErrorCode.RESOURCE_EXHAUSTED, "connections: %d (expected: at most %d)".formatted(LIMIT + 1, LIMIT));
        }
        others.stream()
                .filter(other -> other.modelPrefix().equals(connection.modelPrefix()))
                .findAny()
                .ifPresent(other -> {
                    throw new PlatformException(
                            ErrorCode.ALREADY_EXISTS,
                            "model_prefix: \"%s\" is that of connection %s (expected: one of its own)"
                                    .formatted(connection.modelPrefix(), other.name()));
                });
    }

    private Provider provider(String environment, ConnectionStore.Stored stored) {
        return new Provider(
                stored.connection(),
                stored.key().map(key -> envelopes.open(place(environment, stored.connection()), key.bytes())));
    }

    /** A key opens only for the server it was given for, even if the row with the URL was changed. */
    private static Envelopes.Place place(String environment, Connection connection) {
        return new Envelopes.Place("connection", environment, connection.name() + " " + connection.origin());
    }

    private static void check(SecretValue key) {
        boolean visible = key.revealText().chars().allMatch(c -> c > 0x20 && c < 0x7f);
        if (key.length() == 0 || key.length() > MAX_KEY_BYTES || !visible) {
            throw PlatformException.invalid(
                    "key", key.length() + " bytes", "1 to " + MAX_KEY_BYTES + " visible ASCII characters");
        }
    }

    /** Where a request for a model goes, and what the model is called there. */
    record Route(Provider provider, String upstreamModel) {}
}
