package dev.slate.standalone;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The database of this platform: the server that {@code SLATE_DATABASE_URL} names, or one of its own. */
final class Database implements AutoCloseable {
    private final DatabaseAddress address;
    private final @Nullable EmbeddedDatabase own;

    private Database(DatabaseAddress address, @Nullable EmbeddedDatabase own) {
        this.address = address;
        this.own = own;
    }

    /** Opens it with its tables up to date. */
    static Database open(Path home) throws IOException, SQLException {
        String configured = System.getenv("SLATE_DATABASE_URL");
        Database database;
        if (configured == null || configured.isEmpty()) {
            EmbeddedDatabase own = EmbeddedDatabase.start(home);
            database = new Database(own.address(), own);
        } else {
            database = new Database(DatabaseAddress.parse(configured), null);
        }
        try {
            database.address.migrate();
            return database;
        } catch (RuntimeException failure) {
            database.close();
            throw failure;
        }
    }

    DatabaseAddress address() {
        return address;
    }

    @Override
    public void close() throws IOException {
        if (own != null) {
            own.close();
        }
    }
}
