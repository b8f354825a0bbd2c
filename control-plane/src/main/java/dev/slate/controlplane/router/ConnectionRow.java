package dev.slate.controlplane.router;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row of {@code model_connection}. */
@Entity
@Table(name = "model_connection")
class ConnectionRow {
    @Id
    String id = "";

    String environment = "";
    String name = "";

    @Column(name = "base_url")
    String baseUrl = "";

    @Column(name = "model_prefix")
    String modelPrefix = "";

    @Column(name = "key_envelope")
    byte @Nullable [] keyEnvelope;

    @Column(name = "created_at")
    Instant createdAt = Instant.EPOCH;

    ConnectionStore.Stored toStored() {
        return new ConnectionStore.Stored(
                new Connection(name, URI.create(baseUrl), modelPrefix),
                Optional.ofNullable(keyEnvelope).map(ConnectionStore.Envelope::new),
                createdAt);
    }
}
