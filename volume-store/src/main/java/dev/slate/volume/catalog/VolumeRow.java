package dev.slate.volume.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A volume, live or deleted. */
@Entity(name = "Volume")
@Table(name = "volume")
class VolumeRow {
    @Id
    String id = "";

    @Column(nullable = false)
    String environment = "";

    @Column(nullable = false)
    String name = "";

    @Column(name = "last_number", nullable = false)
    long lastNumber;

    @Column(name = "created_at", nullable = false)
    Instant createdAt = Instant.EPOCH;

    @Column(name = "deleted_at")
    @Nullable
    Instant deletedAt;

    Volume toVolume(long latest) {
        return new Volume(id, environment, new VolumeName(name), latest, createdAt);
    }
}
