package dev.slate.standalone;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Gives a test of the assembled platform a home of its own with a real database in it. */
public final class PlatformResource implements QuarkusTestResourceLifecycleManager {
    private @Nullable Path home;
    private @Nullable EmbeddedDatabase database;

    @Override
    public Map<String, String> start() {
        try {
            Path folder = Files.createTempDirectory("slate-standalone");
            home = folder;
            EmbeddedDatabase started = EmbeddedDatabase.of(folder);
            database = started;
            started.start();
            started.address().migrate();
            Map<String, String> settings = new HashMap<>(started.address().settings());
            settings.put("slate.home", folder.toString());
            settings.put("slate.egress.port", Integer.toString(freePort()));
            settings.put("slate.egress.dns-port", Integer.toString(freePort()));
            settings.put(
                    "slate.network.subnet",
                    "10.240.%d.0/24".formatted(ProcessHandle.current().pid() % 256));
            settings.put("slate.network.warm-slots", "2");
            return settings;
        } catch (IOException | SQLException failure) {
            throw new IllegalStateException("no database for the test", failure);
        }
    }

    @Override
    public void stop() {
        try {
            if (database != null) {
                database.close();
            }
            if (home != null) {
                deleteTree(home);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void deleteTree(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
