package dev.slate.volume.catalog;

import dev.slate.tree.Digest;
import dev.slate.tree.TreePath;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * An immutable state of a volume.
 *
 * @param number dense from 1 in each volume, never reused
 * @param conflicts paths where this version replaced what another writer had put meanwhile
 */
public record Version(
        long number,
        long parent,
        Digest tree,
        long files,
        long bytes,
        String author,
        List<TreePath> conflicts,
        Instant createdAt) {
    public Version {
        conflicts = List.copyOf(conflicts);
        // What the database keeps, so that a version reads back as it was written.
        createdAt = createdAt.truncatedTo(ChronoUnit.MICROS);
    }
}
