package dev.slate.standalone;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The database of this platform: the server that {@code SLATE_DATABASE_URL} names, or one of its own. */
record Database(DatabaseAddress address, @Nullable EmbeddedDatabase own) implements AutoCloseable {

    static Database of(Path home) throws IOException {
        String configured = System.getenv("SLATE_DATABASE_URL");
        if (configured != null && !configured.isEmpty()) {
            return new Database(DatabaseAddress.parse(configured), null);
        }
        EmbeddedDatabase own = EmbeddedDatabase.of(home);
        return new Database(own.address(), own);
    }

    /** Starts it if it is our own, and brings its tables up to date. */
    void open() throws IOException, SQLException {
        if (own != null) {
            own.start();
        }
        address.migrate();
    }

    @Override
    public void close() throws IOException {
        if (own != null) {
            own.close();
        }
    }
}
