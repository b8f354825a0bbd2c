package dev.slate.sdk;

import java.time.Instant;
import java.util.List;

/**
 * One immutable state of a volume.
 *
 * @param number 1, 2, 3, …
 * @param conflicts paths that two writers changed
 */
public record VolumeVersion(
        long number, long parent, Instant createdAt, long files, long bytes, String author, List<String> conflicts) {

    static VolumeVersion of(dev.slate.api.volume.v1.Version version) {
        return new VolumeVersion(
                version.getNumber(),
                version.getParent(),
                Wire.instant(version.getCreatedAt()),
                version.getFiles(),
                version.getBytes(),
                version.getAuthor(),
                List.copyOf(version.getConflictsList()));
    }
}
