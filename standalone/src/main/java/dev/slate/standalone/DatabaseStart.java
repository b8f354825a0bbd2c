package dev.slate.standalone;

import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Lets most of Quarkus start while the database does: nothing asks it for data before {@link StartupEvent}. */
@Singleton
class DatabaseStart {
    private static final int BEFORE_ALL = 1;
    private static volatile Future<?> opening = CompletableFuture.completedFuture(null);

    /** To be said before Quarkus starts. */
    static void awaitLater(Future<?> task) {
        opening = task;
    }

    void await(@Observes @Priority(BEFORE_ALL) StartupEvent event) throws InterruptedException {
        try {
            opening.get();
        } catch (ExecutionException failure) {
            throw new IllegalStateException("the database cannot be used", failure.getCause());
        }
    }
}
