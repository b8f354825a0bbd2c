package dev.slate.volume.commit;

import dev.slate.tree.Tree;

/**
 * What a mount wrote, ready to become a version: all bodies are durable.
 *
 * @param base the version that was below
 * @param ours the base with the changes of the mount
 */
public record MountCommit(String mountId, String environment, String volumeId, long base, Tree ours, String author) {

    String commitId() {
        return "mount/" + mountId;
    }

    /** Names the version with the losing side, if two writers changed the same path. */
    public static String conflictRef(String mountId) {
        return "conflict/" + mountId;
    }
}
