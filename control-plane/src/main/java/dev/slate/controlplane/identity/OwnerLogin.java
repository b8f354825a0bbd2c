package dev.slate.controlplane.identity;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.auth.Tokens;
import dev.slate.common.config.HomeConfig;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jboss.logging.Logger;

/**
 * The first owner, who holds every permission, and the file {@code <home>/owner-token} that logs the command line in on
 * this machine: whoever may read it owns the install. The file is written at start and again long before it expires.
 */
@Singleton
class OwnerLogin {
    private static final Logger LOG = Logger.getLogger(OwnerLogin.class);

    private static final int EARLY = 10;
    private static final int LAST = 10_000;

    private final Tokens tokens;
    private final Environments environments;
    private final IdentityConfig config;
    private final Path file;
    private final FutureTask<?> first = new FutureTask<>(this::write, null);
    private final Thread renewal = Thread.ofVirtual().name("owner-token").unstarted(this::renew);

    OwnerLogin(Tokens tokens, Environments environments, IdentityConfig config, HomeConfig home) {
        this.tokens = tokens;
        this.environments = environments;
        this.config = config;
        this.file = home.home().resolve("owner-token");
    }

    /** Beside the rest of the start, as the first question to the database takes a while. */
    void begin(@Observes @Priority(EARLY) StartupEvent event) {
        Thread.ofVirtual().name("owner-token").start(first);
    }

    void finish(@Observes @Priority(LAST) StartupEvent event) throws InterruptedException {
        try {
            first.get();
        } catch (ExecutionException failure) {
            throw new IllegalStateException("the owner has no token", failure.getCause());
        }
        renewal.start();
    }

    void stop(@Observes ShutdownEvent event) {
        renewal.interrupt();
    }

    /** Replaces the token file in one step. */
    void write() {
        String token = tokens.sign(owner(), config.ownerTokenLifetime());
        try {
            Files.createDirectories(file.getParent());
            Path temporary = Files.createTempFile(
                    file.getParent(),
                    ".owner-token",
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(temporary, token + "\n");
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot write the owner's token to " + file, failure);
        }
    }

    private Caller owner() {
        return new Caller("owner", "owner", "Owner", environments.defaultId(), EnumSet.allOf(Permission.class));
    }

    private void renew() {
        try {
            while (true) {
                Thread.sleep(config.ownerTokenRenewal());
                try {
                    write();
                } catch (RuntimeException failure) {
                    LOG.warnf(failure, "the owner's token was not renewed: check the disk file=%s", file);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
