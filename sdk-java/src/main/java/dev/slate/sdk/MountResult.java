package dev.slate.sdk;

import java.util.List;

/**
 * What became of the writes to a mounted volume.
 *
 * @param version the committed version, or the one below when nothing changed
 * @param outcome committed, unchanged, dropped, conflict or salvaged
 * @param conflicts paths that somebody else changed too
 * @param conflictRef where this sandbox's side of the conflicts is kept
 */
public record MountResult(
        String path, String volume, long version, String outcome, List<String> conflicts, String conflictRef) {

    static MountResult of(dev.slate.api.sandbox.v1.MountResult result) {
        return new MountResult(
                result.getPath(),
                result.getVolume(),
                result.getVersion(),
                result.getOutcome(),
                List.copyOf(result.getConflictsList()),
                result.getConflictRef());
    }
}
