package dev.slate.controlplane.identity;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.KeyFile;
import dev.slate.common.auth.KeyedHash;
import dev.slate.common.auth.Permission;
import dev.slate.common.config.HomeConfig;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.id.IdSource;
import dev.slate.common.secret.SecretValue;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/** Makes, lists, revokes and checks service tokens. Thread-safe. */
@Singleton
class ServiceTokens {
    private static final Logger LOG = Logger.getLogger(ServiceTokens.class);
    private static final int DESCRIPTION_LIMIT = 200;

    private final ServiceTokenStore store;
    private final RevokedTokens revokedTokens;
    private final IdSource ids;
    private final Clock clock;
    private final KeyedHash hash;

    ServiceTokens(ServiceTokenStore store, RevokedTokens revokedTokens, IdSource ids, Clock clock, HomeConfig home) {
        this.store = store;
        this.revokedTokens = revokedTokens;
        this.ids = ids;
        this.clock = clock;
        this.hash = new KeyedHash(KeyFile.loadOrCreate(home.home(), "service-tokens.key"));
    }

    /** Makes a token that may do no more than its maker. */
    Created create(Caller maker, String description, Set<Permission> permissions) {
        maker.require(Permission.IDENTITY_WRITE);
        if (description.length() > DESCRIPTION_LIMIT) {
            throw PlatformException.invalid(
                    "description", description.length() + " characters", "at most " + DESCRIPTION_LIMIT);
        }
        if (permissions.isEmpty()) {
            throw PlatformException.invalid("permissions", "none", "at least one");
        }
        permissions.forEach(maker::require);
        ServiceToken token = new ServiceToken(
                ServiceToken.PREFIX + ids.hex(16),
                maker.environment(),
                description,
                permissions,
                clock.instant(),
                false);
        SecretValue secret = SecretValue.of(ids.hex(32));
        store.add(token, hash.of(secret), maker.subject());
        LOG.infof("service token created clientId=%s by=%s", token.clientId(), maker.subject());
        return new Created(token, secret);
    }

    /** The tokens of the caller's environment. */
    PageRequest.Page<ServiceToken> list(Caller caller, PageRequest page) {
        caller.require(Permission.IDENTITY_WRITE);
        return page.page(store.list(caller.environment(), page), ServiceToken::clientId);
    }

    /** Refuses a token for ever, and at once what it was exchanged for; revoking twice succeeds. */
    void revoke(Caller caller, String clientId) {
        caller.require(Permission.IDENTITY_WRITE);
        if (!store.revoke(caller.environment(), clientId, clock.instant())) {
            throw PlatformException.notFound("service token", clientId);
        }
        revokedTokens.add(clientId);
        LOG.infof("service token revoked clientId=%s by=%s", clientId, caller.subject());
    }

    /** The caller that a client id and its secret stand for; unknown, revoked and wrong look the same. */
    Caller login(String clientId, SecretValue secret) {
        String presented = hash.of(secret);
        Optional<ServiceTokenStore.Stored> stored = store.find(clientId);
        String expected = stored.map(ServiceTokenStore.Stored::secretHash).orElse("");
        boolean matches = MessageDigest.isEqual(
                presented.getBytes(StandardCharsets.US_ASCII), expected.getBytes(StandardCharsets.US_ASCII));
        return stored.map(ServiceTokenStore.Stored::token)
                .filter(token -> matches && !token.revoked())
                .map(ServiceTokens::caller)
                .orElseThrow(() -> new PlatformException(
                        ErrorCode.UNAUTHENTICATED, "the client id or the client secret is wrong, or it is revoked"));
    }

    private static Caller caller(ServiceToken token) {
        String name = token.description().isBlank() ? token.clientId() : token.description();
        return new Caller(token.clientId(), name, "Service", token.environment(), token.permissions());
    }

    /** A new token, and its secret, which is nowhere else. */
    record Created(ServiceToken token, SecretValue secret) {}
}
