package dev.slate.volume.mount;

import java.util.Optional;

/**
 * What the journal knows about a mount.
 *
 * @param base the version below
 * @param tree digest of that version
 * @param writes whether the mount is of ref main, so that what is written can be committed
 * @param commit what the first seal asked for
 */
record MountRecord(
        String mountId,
        String environment,
        String volumeId,
        String volume,
        String sandboxId,
        long base,
        String tree,
        boolean writes,
        State state,
        boolean commit,
        Optional<SealResult> result) {

    /** Only moves forward. */
    enum State {
        /** Mounted, or about to be. */
        ACTIVE,
        /** The sandbox has ended; the upper directory waits for its commit. */
        SEALED,
        /** Nothing is left but the answer. */
        DONE
    }

    MountRecord sealed(boolean wantsCommit) {
        return with(State.SEALED, wantsCommit, Optional.empty());
    }

    MountRecord done(SealResult answer) {
        return with(State.DONE, commit, Optional.of(answer));
    }

    private MountRecord with(State next, boolean wantsCommit, Optional<SealResult> answer) {
        return new MountRecord(
                mountId, environment, volumeId, volume, sandboxId, base, tree, writes, next, wantsCommit, answer);
    }
}
