package dev.slate.controlplane.sandbox;

import java.util.List;

/** What became of the writes to a volume. */
public record MountResult(
        String path, String volume, long version, String outcome, List<String> conflicts, String conflictRef) {
    public MountResult {
        conflicts = List.copyOf(conflicts);
    }
}
