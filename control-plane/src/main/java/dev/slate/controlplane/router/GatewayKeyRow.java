package dev.slate.controlplane.router;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of {@code gateway_key}. */
@Entity
@Table(name = "gateway_key")
class GatewayKeyRow {
    @Id
    String hash = "";

    String environment = "";
    String prefix = "";
    String description = "";

    @Column(name = "created_by")
    String createdBy = "";

    @Column(name = "created_at")
    Instant createdAt = Instant.EPOCH;

    @Column(name = "revoked_at")
    @Nullable
    Instant revokedAt;

    static GatewayKeyRow of(GatewayKey key, String createdBy) {
        GatewayKeyRow row = new GatewayKeyRow();
        row.hash = key.hash();
        row.environment = key.environment();
        row.prefix = key.prefix();
        row.description = key.description();
        row.createdBy = createdBy;
        row.createdAt = key.createdAt();
        return row;
    }

    GatewayKey toKey() {
        return new GatewayKey(hash, environment, prefix, description, createdAt, revokedAt != null);
    }
}
