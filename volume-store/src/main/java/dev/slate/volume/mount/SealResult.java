package dev.slate.volume.mount;

import java.util.List;

/**
 * How a mount ended.
 *
 * @param version the new version, or the one that was below when there is none
 * @param conflicts paths where what another writer had put was replaced
 * @param conflictRef names the version with what was replaced; empty without conflicts
 * @param salvage where the written files lie when they could not be committed; empty otherwise
 */
record SealResult(Outcome outcome, long version, List<String> conflicts, String conflictRef, String salvage) {
    enum Outcome {
        COMMITTED,
        UNCHANGED,
        DROPPED,
        CONFLICT,
        SALVAGED
    }

    SealResult {
        conflicts = List.copyOf(conflicts);
    }

    static SealResult plain(Outcome outcome, long version) {
        return new SealResult(outcome, version, List.of(), "", "");
    }
}
