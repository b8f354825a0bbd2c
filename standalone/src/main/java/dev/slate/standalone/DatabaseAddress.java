package dev.slate.standalone;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

/** Where a PostgreSQL server keeps the platform's records, as {@code host:port/database} and who signs in. */
record DatabaseAddress(String location, String user, String password) {

    /**
     * Reads a connection URI as libpq knows it, {@code postgresql://user:password@host[:port]/database[?sslmode=…]}.
     *
     * @throws IllegalArgumentException naming what is missing, without the password
     */
    static DatabaseAddress parse(String text) {
        URI uri = uri(text);
        String[] login = uri == null || uri.getRawUserInfo() == null
                ? new String[0]
                : uri.getRawUserInfo().split(":", 2);
        if (uri == null
                || !("postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme()))
                || uri.getHost() == null
                || uri.getRawPath().length() < 2
                || login.length != 2) {
            throw new IllegalArgumentException(
                    "SLATE_DATABASE_URL: expected postgresql://user:password@host:port/database");
        }
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        int port = uri.getPort() < 0 ? 5432 : uri.getPort();
        return new DatabaseAddress(
                uri.getHost() + ":" + port + uri.getRawPath() + query, decode(login[0]), decode(login[1]));
    }

    /** What Quarkus must know to reach it. */
    Map<String, String> settings() {
        return Map.of(
                "quarkus.datasource.username",
                user,
                "quarkus.datasource.password",
                password,
                "quarkus.datasource.reactive.url",
                "postgresql://" + location);
    }

    String jdbcUrl() {
        return "jdbc:postgresql://" + location;
    }

    /** Brings its tables up to date. */
    void migrate() {
        Flyway.configure()
                .dataSource(jdbcUrl(), user, password)
                .locations("classpath:db/slate")
                // Each service numbers its own.
                .outOfOrder(true)
                .load()
                .migrate();
    }

    private static @Nullable URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException _) {
            return null;
        }
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
