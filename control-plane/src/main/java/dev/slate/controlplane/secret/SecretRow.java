package dev.slate.controlplane.secret;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** A row of {@code secret}. */
@Entity
@Table(name = "secret")
class SecretRow {
    @Id
    String id = "";

    String environment = "";
    String name = "";
    byte[] envelope = {};

    @Column(name = "created_at")
    Instant createdAt = Instant.EPOCH;

    @Column(name = "updated_at")
    Instant updatedAt = Instant.EPOCH;

    Secret toSecret() {
        return new Secret(new SecretName(name), createdAt, updatedAt);
    }
}
