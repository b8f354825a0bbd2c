package dev.slate.image.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** Which image a base meant when it was resolved. */
@Entity(name = "ImageBase")
@Table(name = "image_base")
class BaseRow {
    @Id
    @Column(name = "base_key")
    String key = "";

    @Column(name = "manifest_digest", nullable = false)
    String manifestDigest = "";

    @Column(name = "resolved_at", nullable = false)
    Instant resolvedAt = Instant.EPOCH;
}
