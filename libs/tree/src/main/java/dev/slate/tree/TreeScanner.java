package dev.slate.tree;

import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.Posix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Reads a whole directory into a tree, without following links. Confined to one thread, for one scan. */
public final class TreeScanner {
    private final BodySink bodies;
    private final ScanLimits limits;
    private final TreeMap<TreePath, Entry> entries = new TreeMap<>();
    private final List<Changes.Skipped> skipped = new ArrayList<>();

    private TreeScanner(BodySink bodies, ScanLimits limits) {
        this.bodies = bodies;
        this.limits = limits;
    }

    /** A tree and the files that it cannot hold. */
    public record Scanned(Tree tree, List<Changes.Skipped> skipped) {}

    public static Scanned scan(Path root, BodySink bodies, ScanLimits limits) throws IOException {
        var scanner = new TreeScanner(bodies, limits);
        try (var directory = Directory.open(root)) {
            scanner.entries.put(TreePath.ROOT, EntryReader.root(directory));
            scanner.children(directory, TreePath.ROOT, 1);
        }
        return new Scanned(new Tree(scanner.entries), List.copyOf(scanner.skipped));
    }

    private void children(Directory directory, TreePath at, int depth) throws IOException {
        for (var name : directory.names()) {
            var path = at.child(name);
            limits.check(entries.size(), depth, path);
            var stat = Posix.stat(directory.child(name));
            var entry = EntryReader.read(directory, name, stat, bodies);
            if (entry.isEmpty()) {
                skipped.add(new Changes.Skipped(path, stat.kind().shown()));
                continue;
            }
            entries.put(path, entry.get());
            if (entry.get() instanceof Entry.Directory) {
                try (var child = directory.open(name)) {
                    children(child, path, depth + 1);
                }
            }
        }
    }
}
