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
import java.sql.SQLException;

/** Starts the platform on one host; one process per home. */
@QuarkusMain
public final class Main {
    private Main() {}

    /** {@code cleanup} removes what a killed platform left behind; no argument runs the platform until it is stopped. */
    public static void main(String... args) throws IOException, SQLException {
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

    private static void run(Path home) throws IOException, SQLException {
        System.setProperty("slate.home", home.toString());
        if (System.getenv("SLATE_DATABASE_URL") != null) {
            Quarkus.run();
            return;
        }
        try (EmbeddedDatabase database = EmbeddedDatabase.start(home)) {
            database.settings().forEach(System::setProperty);
            Quarkus.run();
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
