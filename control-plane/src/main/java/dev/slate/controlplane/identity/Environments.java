package dev.slate.controlplane.identity;

import dev.slate.common.error.PlatformException;
import dev.slate.common.id.IdSource;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** The environments of this install: for now one, {@code default}, made at the first start. Thread-safe. */
@Singleton
public class Environments {
    private static final String DEFAULT = "default";

    private final EnvironmentStore store;
    private final IdSource ids;
    private final Clock clock;
    private volatile @Nullable Environment known;

    Environments(EnvironmentStore store, IdSource ids, Clock clock) {
        this.store = store;
        this.ids = ids;
        this.clock = clock;
    }

    /** The default environment; the first call asks the database, and makes it if needed. */
    public Environment defaultEnvironment() {
        Environment environment = known;
        if (environment == null) {
            environment = store.findOrCreate(new Environment(ids.uuid(), DEFAULT, DEFAULT, DEFAULT), clock.instant());
            known = environment;
        }
        return environment;
    }

    /** The id of the default environment: the "Env Id" that users see. */
    public String defaultId() {
        return defaultEnvironment().id();
    }

    /** The environment with an id. */
    Environment get(String id) {
        Environment environment = defaultEnvironment();
        if (!environment.id().equals(id)) {
            throw PlatformException.notFound("environment", id);
        }
        return environment;
    }
}
