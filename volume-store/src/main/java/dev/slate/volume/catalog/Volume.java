package dev.slate.volume.catalog;

import java.time.Instant;

/**
 * A live volume.
 *
 * @param latest the version that ref main names, 0 before the first commit
 */
public record Volume(String id, String environment, VolumeName name, long latest, Instant createdAt) {}
