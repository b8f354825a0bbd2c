package dev.slate.controlplane.router;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.KeyFile;
import dev.slate.common.auth.KeyedHash;
import dev.slate.common.auth.Permission;
import dev.slate.common.config.HomeConfig;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.id.IdSource;
import dev.slate.common.secret.SecretValue;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Makes, lists, revokes and checks the keys of the gateway. Thread-safe. */
@Singleton
class GatewayKeys {
    private static final Logger LOG = Logger.getLogger(GatewayKeys.class);
    private static final int DESCRIPTION_LIMIT = 200;

    private final GatewayKeyStore store;
    private final IdSource ids;
    private final Clock clock;
    private final KeyedHash hash;
    private final ShortCache<String, GatewayKey> known = new ShortCache<>();

    GatewayKeys(GatewayKeyStore store, IdSource ids, Clock clock, HomeConfig home) {
        this.store = store;
        this.ids = ids;
        this.clock = clock;
        this.hash = new KeyedHash(KeyFile.loadOrCreate(home.home(), "gateway-keys.key"));
    }

    /** Makes a key for the caller's environment. */
    Created create(Caller caller, String description) {
        caller.require(Permission.ROUTER_WRITE);
        if (description.length() > DESCRIPTION_LIMIT) {
            throw PlatformException.invalid(
                    "description", description.length() + " characters", "at most " + DESCRIPTION_LIMIT);
        }
        SecretValue key = GatewayKey.newKey(ids);
        GatewayKey record = new GatewayKey(
                hash.of(key), caller.environment(), GatewayKey.prefix(key), description, clock.instant(), false);
        store.add(record, caller.subject());
        LOG.infof("gateway key created keyHash=%s by=%s", record.hash(), caller.subject());
        return new Created(record, key);
    }

    /** The keys of the caller's environment. */
    PageRequest.Page<GatewayKey> list(Caller caller, PageRequest page) {
        caller.require(Permission.ROUTER_READ);
        return page.page(store.list(caller.environment(), page), GatewayKey::hash);
    }

    /** Refuses a key from now on; revoking twice succeeds. */
    void revoke(Caller caller, String keyHash) {
        caller.require(Permission.ROUTER_WRITE);
        if (!store.revoke(caller.environment(), keyHash, clock.instant())) {
            throw PlatformException.notFound("gateway key", keyHash);
        }
        known.forget(keyHash);
        LOG.infof("gateway key revoked keyHash=%s by=%s", keyHash, caller.subject());
    }

    /** The key that a client presents, unless it is unknown or revoked. */
    Optional<GatewayKey> authenticate(String presented) {
        if (!GatewayKey.looksLikeKey(presented)) {
            return Optional.empty();
        }
        return known.get(hash.of(SecretValue.of(presented)), store::find).filter(key -> !key.revoked());
    }

    /** A new key, which is nowhere else, and what is kept of it. */
    record Created(GatewayKey record, SecretValue key) {}
}
