package dev.slate.standalone;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogManager;

/** Starts the platform on one host; one process per home. */
@QuarkusMain
public final class Main {
    private static final long STOP_LIMIT_SECONDS = 60;

    private Main() {}

    /** {@code cleanup} removes what a killed platform left behind; no argument runs the platform until it is stopped. */
    public static void main(String... args) throws IOException {
        Path home = home();
        Files.createDirectories(
                home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (FileChannel channel =
                        FileChannel.open(home.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock == null) {
                errors().println("slate: another platform runs on " + home + " (see `slate status`)");
                System.exit(1);
            }
            if (args.length > 0 && args[0].equals("cleanup")) {
                Cleanup.run(home);
                return;
            }
            run(home);
        }
    }

    private static void run(Path home) throws IOException {
        System.setProperty("slate.home", home.toString());
        // Two threads that meet in its initialisation wait for each other for ever.
        LogManager.getLogManager();
        Database database = Database.of(home);
        database.address().settings().forEach(System::setProperty);
        FutureTask<?> opening = new FutureTask<>(() -> {
            database.open();
            return null;
        });
        DatabaseStart.awaitLater(opening);
        CountDownLatch stopped = new CountDownLatch(1);
        // The process may end as soon as its hooks have; the database goes last, after all that uses it.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> closeAfter(stopped, opening, database)));
        AtomicInteger status = new AtomicInteger();
        try {
            Thread.ofPlatform().daemon().name("database-start").start(opening);
            Quarkus.run(null, (code, _) -> status.set(code));
        } finally {
            stopped.countDown();
        }
        if (status.get() != 0) {
            System.exit(status.get());
        }
    }

    private static void closeAfter(CountDownLatch stopped, Future<?> opening, Database database) {
        try {
            if (!stopped.await(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                errors().println("slate: the platform does not stop; its database is stopped now");
            }
            awaitEnd(opening);
            database.close();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (IOException failure) {
            errors().println("slate: the database does not stop: " + failure.getMessage());
        }
    }

    private static void awaitEnd(Future<?> opening) throws InterruptedException {
        try {
            opening.get();
        } catch (ExecutionException _) {
            // The start of the platform says why.
        }
    }

    private static Path home() {
        String configured = System.getenv("SLATE_HOME");
        return Path.of(configured == null || configured.isEmpty() ? "/var/lib/slate" : configured)
                .toAbsolutePath()
                .normalize();
    }

    @SuppressWarnings("SystemOut") // the log is not there yet
    private static PrintStream errors() {
        return System.err;
    }
}
