package dev.slate.image.store;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;

/** The layer that a step made. */
@Entity(name = "ImageStep")
@Table(name = "image_step")
class StepRow {
    @EmbeddedId
    Key key = new Key("", "");

    @Column(name = "diff_id", nullable = false)
    String diffId = "";

    @Column(name = "blob_digest", nullable = false)
    String blobDigest = "";

    @Column(name = "blob_size", nullable = false)
    long blobSize;

    @Column(nullable = false)
    String compression = "";

    @Column(name = "created_at", nullable = false)
    Instant createdAt = Instant.EPOCH;

    /** Environments do not see each other's layers, not even by their speed. */
    @Embeddable
    record Key(
            @Column(nullable = false) String environment,
            @Column(name = "step_key", nullable = false) String stepKey) {}
}
