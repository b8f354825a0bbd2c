package dev.slate.volume.catalog;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A live volume.
 *
 * @param latest the version that ref main names, 0 before the first commit
 */
public record Volume(String id, String environment, VolumeName name, long latest, Instant createdAt) {
    public Volume {
        // What the database keeps, so that a volume reads back as it was written.
        createdAt = createdAt.truncatedTo(ChronoUnit.MICROS);
    }
}
