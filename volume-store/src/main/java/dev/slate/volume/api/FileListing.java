package dev.slate.volume.api;

import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.PageRequest;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import java.util.List;

/** Lists what stands below a path of a tree, in the order of the paths. */
final class FileListing {
    private FileListing() {}

    /** A path and what stands there. */
    record Line(TreePath path, Entry entry) {}

    /** The entries below a directory; of a file, the file itself. */
    static List<Line> of(Tree tree, TreePath at, boolean recursive, PageRequest page) {
        Entry entry = tree.find(at).orElseThrow(() -> PlatformException.notFound("file", at.value()));
        if (!(entry instanceof Entry.Directory)) {
            return page.after().isEmpty() ? List.of(new Line(at, entry)) : List.of();
        }
        TreePath after = VolumeMessages.path(page.after());
        return tree.below(at).entrySet().stream()
                .filter(line -> after.isRoot() || line.getKey().compareTo(after) > 0)
                .filter(line ->
                        recursive || line.getKey().parent().orElseThrow().equals(at))
                .limit(page.fetch())
                .map(line -> new Line(line.getKey(), line.getValue()))
                .toList();
    }
}
