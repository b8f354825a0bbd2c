package dev.slate.volume.version;

import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import java.util.List;

/**
 * A merged tree.
 *
 * @param conflicts paths that both sides changed in different ways; the tree has ours there
 */
public record MergeResult(Tree tree, List<TreePath> conflicts) {
    public MergeResult {
        conflicts = List.copyOf(conflicts);
    }
}
