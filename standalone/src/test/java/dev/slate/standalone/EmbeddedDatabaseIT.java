package dev.slate.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatabaseIT {
    @TempDir
    Path home;

    @Test
    void keepsDataOverARestartAndAServerLeftRunning() throws Exception {
        Process killed = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Abandoning.class.getName(),
                        home.toString())
                .inheritIO()
                .start();
        assertThat(killed.waitFor()).isEqualTo(137);

        try (EmbeddedDatabase database = started(home)) {
            assertThat(selectOne(database, "SELECT value FROM kept")).isEqualTo(42);
        }
    }

    @Test
    void refusesAnyoneWithoutThePassword() throws Exception {
        try (EmbeddedDatabase database = started(home)) {
            String url = database.address().jdbcUrl();

            assertThatThrownBy(() -> DriverManager.getConnection(url, "postgres", "guess")
                            .close())
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
        }
    }

    private static EmbeddedDatabase started(Path home) throws Exception {
        EmbeddedDatabase database = EmbeddedDatabase.of(home);
        database.start();
        return database;
    }

    /** Leaves a server running, as a platform does that is killed. */
    static final class Abandoning {
        private Abandoning() {}

        public static void main(String... args) throws Exception {
            EmbeddedDatabase database = started(Path.of(args[0]));
            execute(database, "CREATE TABLE kept (value int); INSERT INTO kept VALUES (42)");
            Runtime.getRuntime().halt(137);
        }
    }

    private static void execute(EmbeddedDatabase database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int selectOne(EmbeddedDatabase database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static Connection connect(EmbeddedDatabase database) throws SQLException {
        DatabaseAddress address = database.address();
        return DriverManager.getConnection(address.jdbcUrl(), address.user(), address.password());
    }
}
