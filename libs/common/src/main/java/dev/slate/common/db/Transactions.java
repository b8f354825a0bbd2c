package dev.slate.common.db;

import io.quarkus.vertx.VertxContextSupport;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny;

/**
 * Runs one unit of work against the database and waits for it. The work runs on an event loop: it chains database
 * steps and does nothing else. Call from a virtual or platform thread, never from an event loop, and never from inside
 * another unit of work. The wait is bounded by the database's own statement timeout. Thread-safe.
 */
@Singleton
public class Transactions {
    private final Mutiny.SessionFactory sessions;

    Transactions(Mutiny.SessionFactory sessions) {
        this.sessions = sessions;
    }

    /** Runs the work in one transaction; an empty result is a null of the work. */
    public <T> Optional<T> call(Function<Mutiny.StatelessSession, Uni<T>> work) {
        return Optional.ofNullable(await(() -> sessions.withStatelessTransaction((session, _) -> work.apply(session))));
    }

    /** Runs the work in one transaction; its result must not be null. */
    public <T> T get(Function<Mutiny.StatelessSession, Uni<T>> work) {
        return call(work).orElseThrow(() -> new IllegalStateException("the unit of work gave no result"));
    }

    /** Runs the work in one transaction for its effect. */
    public void run(Function<Mutiny.StatelessSession, ? extends Uni<?>> work) {
        await(() -> sessions.withStatelessTransaction(
                (session, _) -> work.apply(session).replaceWithVoid()));
    }

    /** Runs work that is one statement and so a transaction by itself: two round trips fewer than {@link #run}. */
    public void runStatement(Function<Mutiny.StatelessSession, ? extends Uni<?>> statement) {
        await(() -> sessions.withStatelessSession(
                session -> statement.apply(session).replaceWithVoid()));
    }

    private static <T> T await(java.util.function.Supplier<Uni<T>> work) {
        try {
            return VertxContextSupport.subscribeAndAwait(work);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException("database work failed", failure);
        }
    }
}
