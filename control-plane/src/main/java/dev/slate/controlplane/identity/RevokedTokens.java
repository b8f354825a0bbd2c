package dev.slate.controlplane.identity;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.CallerCheck;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Refuses callers whose service token was revoked, although their signed token has not expired. Until the list is
 * loaded no service token is accepted. Thread-safe.
 */
@Singleton
class RevokedTokens implements CallerCheck {
    private final ServiceTokenStore store;
    private final Set<String> clientIds = ConcurrentHashMap.newKeySet();
    private volatile boolean loaded;

    RevokedTokens(ServiceTokenStore store) {
        this.store = store;
    }

    void load(@Observes StartupEvent event) {
        clientIds.addAll(store.revoked());
        loaded = true;
    }

    /** Refuses a client id from now on. */
    void add(String clientId) {
        clientIds.add(clientId);
    }

    @Override
    public void check(Caller caller) {
        if (!caller.subject().startsWith(ServiceToken.PREFIX)) {
            return;
        }
        if (!loaded) {
            throw new PlatformException(ErrorCode.UNAVAILABLE, "the platform is starting: try again");
        }
        if (clientIds.contains(caller.subject())) {
            throw new PlatformException(
                    ErrorCode.UNAUTHENTICATED, "service token %s is revoked".formatted(caller.subject()));
        }
    }
}
