package dev.slate.sdk.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/** The file that {@code slate login} writes: one endpoint and how to sign in there, readable by its owner only. */
public final class CredentialsFile {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path path;

    /** What the file holds: a token, or a client id and secret. */
    public record Entry(
            Endpoint endpoint, Optional<String> token, Optional<String> clientId, Optional<String> clientSecret) {

        public static Entry ofToken(Endpoint endpoint, String token) {
            return new Entry(endpoint, Optional.of(token), Optional.empty(), Optional.empty());
        }

        public static Entry ofClient(Endpoint endpoint, String clientId, String clientSecret) {
            return new Entry(endpoint, Optional.empty(), Optional.of(clientId), Optional.of(clientSecret));
        }
    }

    public CredentialsFile(Path path) {
        this.path = path;
    }

    /** Below {@code XDG_CONFIG_HOME}, or {@code ~/.config}. */
    public static CredentialsFile of(Map<String, String> environment) {
        var configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
        var home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        var folder = configured.isEmpty() ? Path.of(home, ".config") : Path.of(configured);
        return new CredentialsFile(folder.resolve("slate").resolve("credentials.json"));
    }

    public Path path() {
        return path;
    }

    public Optional<Entry> read() {
        if (!Files.isReadable(path)) {
            return Optional.empty();
        }
        try {
            var json = JSON.readTree(Files.readAllBytes(path));
            return Optional.of(new Entry(
                    Endpoint.parse(json.path("endpoint").asText()),
                    text(json, "token"),
                    text(json, "clientId"),
                    text(json, "clientSecret")));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    public void write(Entry entry) {
        var json = JSON.createObjectNode().put("endpoint", entry.endpoint().toString());
        entry.token().ifPresent(value -> json.put("token", value));
        entry.clientId().ifPresent(value -> json.put("clientId", value));
        entry.clientSecret().ifPresent(value -> json.put("clientSecret", value));
        try {
            var folder = Files.createDirectories(path.toAbsolutePath().getParent());
            var permissions = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            var draft = Files.createTempFile(folder, "credentials", ".tmp", permissions);
            Files.write(draft, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
            Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + path, e);
        }
    }

    public void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    private static Optional<String> text(JsonNode json, String field) {
        return Optional.ofNullable(json.path(field).textValue());
    }
}
