package dev.slate.controlplane.router;

import dev.slate.common.secret.SecretValue;
import java.net.URI;
import java.util.Optional;

/** A connection with its key, ready for calls. */
record Provider(Connection connection, Optional<SecretValue> key) {
    /** The connection's name. */
    String name() {
        return connection.name();
    }

    /** An address below the base URL; the path starts with a slash. */
    URI resolve(String path) {
        return URI.create(connection.baseUrl() + path);
    }

    /** Whether a text contains the key. */
    boolean leaksKey(String text) {
        return key.map(value -> text.contains(value.revealText())).orElse(false);
    }
}
