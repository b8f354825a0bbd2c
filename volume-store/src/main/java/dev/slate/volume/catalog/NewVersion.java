package dev.slate.volume.catalog;

import dev.slate.tree.Digest;
import dev.slate.tree.TreePath;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a writer wants to append to ref main.
 *
 * @param commitId makes the append happen once
 * @param request names what was asked under the commit id
 * @param parent the version that main must still name
 * @param conflictRef keeps the parent reachable when it holds the losing side of a conflict
 */
public record NewVersion(
        String volumeId,
        String commitId,
        Digest request,
        long parent,
        Digest tree,
        long files,
        long bytes,
        String author,
        List<TreePath> conflicts,
        Optional<String> conflictRef,
        Instant createdAt) {
    public NewVersion {
        conflicts = List.copyOf(conflicts);
    }

    Version numbered(long number) {
        return new Version(number, parent, tree, files, bytes, author, conflicts, createdAt);
    }
}
