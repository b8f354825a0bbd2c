package dev.slate.controlplane.secret;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.secret.SecretValue;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Sets, lists, reveals and deletes secrets. Thread-safe. */
@Singleton
public class SecretVault {
    private static final Logger LOG = Logger.getLogger(SecretVault.class);
    private static final int MAX_BYTES = 8 * 1024;
    private static final String KIND = "secret";

    private final SecretStore store;
    private final Envelopes envelopes;
    private final Clock clock;
    private final Consumer<SecretChanged> changes;

    @Inject
    SecretVault(SecretStore store, Envelopes envelopes, Clock clock, Event<SecretChanged> changes) {
        this(store, envelopes, clock, changes::fire);
    }

    /** With someone who hears of a change before the caller does. */
    SecretVault(SecretStore store, Envelopes envelopes, Clock clock, Consumer<SecretChanged> changes) {
        this.store = store;
        this.envelopes = envelopes;
        this.clock = clock;
        this.changes = changes;
    }

    /**
     * The value that sandboxes of an environment may be given. It checks no permission: the feature that asks has
     * checked its own.
     */
    public Optional<SecretValue> reveal(String environment, String name) {
        SecretName checked = new SecretName(name);
        return store.find(environment, checked)
                .map(found -> envelopes.open(place(environment, checked), found.envelope()));
    }

    /** Creates a secret, or overwrites its value; running sandboxes use the new one when this returns. */
    Secret set(Caller caller, SecretName name, SecretValue value) {
        caller.require(Permission.SECRETS_WRITE);
        check(value);
        byte[] envelope = envelopes.seal(place(caller.environment(), name), value);
        Secret secret = store.put(caller.environment(), name, envelope, clock.instant());
        LOG.infof("secret set name=%s by=%s", name.value(), caller.subject());
        changes.accept(new SecretChanged(caller.environment(), name.value()));
        return secret;
    }

    /** The secrets of the caller's environment, without values. */
    PageRequest.Page<Secret> list(Caller caller, PageRequest page) {
        caller.require(Permission.SECRETS_LIST);
        return page.page(
                store.list(caller.environment(), page), secret -> secret.name().value());
    }

    /** A secret with its value. */
    Revealed get(Caller caller, SecretName name) {
        caller.require(Permission.SECRETS_DECRYPT);
        SecretStore.Sealed found = store.find(caller.environment(), name).orElseThrow(() -> notFound(name));
        SecretValue value = envelopes.open(place(caller.environment(), name), found.envelope());
        LOG.infof("secret read name=%s by=%s", name.value(), caller.subject());
        return new Revealed(found.secret(), value);
    }

    /** Forgets a secret; no running sandbox uses it when this returns. */
    void delete(Caller caller, SecretName name) {
        caller.require(Permission.SECRETS_WRITE);
        boolean existed = store.delete(caller.environment(), name);
        // Also for one that is gone: so a repeated call mends what the first could not reach.
        changes.accept(new SecretChanged(caller.environment(), name.value()));
        if (!existed) {
            throw notFound(name);
        }
        LOG.infof("secret deleted name=%s by=%s", name.value(), caller.subject());
    }

    /** Line breaks and NUL would let a value break out of a header or an environment variable. */
    private static void check(SecretValue value) {
        if (value.length() == 0 || value.length() > MAX_BYTES) {
            throw PlatformException.invalid("value", value.length() + " bytes", "1 to " + MAX_BYTES + " bytes");
        }
        byte[] bytes = value.reveal();
        for (int at = 0; at < bytes.length; at++) {
            switch (bytes[at]) {
                case '\r', '\n' ->
                    throw PlatformException.invalid(
                            "value", "a line break at byte " + (at + 1) + " of " + bytes.length, "a single line");
                case 0 ->
                    throw PlatformException.invalid(
                            "value", "a NUL at byte " + (at + 1) + " of " + bytes.length, "text without NUL");
                default -> {}
            }
        }
    }

    private static Envelopes.Place place(String environment, SecretName name) {
        return new Envelopes.Place(KIND, environment, name.value());
    }

    private static PlatformException notFound(SecretName name) {
        return PlatformException.notFound("secret", name.value());
    }

    /** A secret with its value. */
    record Revealed(Secret secret, SecretValue value) {}
}
