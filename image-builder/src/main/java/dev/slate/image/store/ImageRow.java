package dev.slate.image.store;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;

/** The image that a recipe made. */
@Entity(name = "Image")
@Table(name = "image")
class ImageRow {
    @EmbeddedId
    Key key = new Key("", "");

    @Column(name = "manifest_digest", nullable = false)
    String manifestDigest = "";

    @Column(name = "size_bytes", nullable = false)
    long sizeBytes;

    @Column(nullable = false)
    int layers;

    @Column(name = "created_at", nullable = false)
    Instant createdAt = Instant.EPOCH;

    /** An image belongs to the environment that built it. */
    @Embeddable
    record Key(
            @Column(nullable = false) String environment,

            @Column(name = "recipe_digest", nullable = false)
            String recipeDigest) {}
}
