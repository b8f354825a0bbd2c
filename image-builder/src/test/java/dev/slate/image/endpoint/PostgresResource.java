package dev.slate.image.endpoint;

import dev.slate.tree.posix.Directory;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A real PostgreSQL and a fresh home for the tests that run the application. */
public final class PostgresResource implements QuarkusTestResourceLifecycleManager {
    private @Nullable EmbeddedPostgres server;
    private @Nullable Path home;

    @Override
    public Map<String, String> start() {
        try {
            Path folder = Files.createTempDirectory("slate-image");
            home = folder;
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(folder.resolve("postgres").toFile())
                    .setServerConfig("listen_addresses", "127.0.0.1")
                    .start();
            server = postgres;
            String address = "127.0.0.1:" + postgres.getPort() + "/postgres";
            return Map.of(
                    "slate.home",
                    folder.toString(),
                    "quarkus.datasource.username",
                    "postgres",
                    "quarkus.datasource.password",
                    "postgres",
                    "quarkus.datasource.reactive.url",
                    "postgresql://" + address,
                    "quarkus.datasource.jdbc.url",
                    "jdbc:postgresql://" + address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void stop() {
        try {
            if (server != null) {
                server.close();
            }
            if (home != null) {
                Directory.deleteTree(home);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
