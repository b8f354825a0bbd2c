package dev.slate.tree;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The immutable metadata of a whole directory: every entry by path, the root included.
 *
 * <p>Every entry's parent is a directory of the same tree. Two trees are equal when their {@link #digest()} is.
 */
public record Tree(SortedMap<TreePath, Entry> entries) {
    public static final Tree EMPTY =
            new Tree(new TreeMap<>(Map.of(TreePath.ROOT, new Entry.Directory(Attributes.of(0755, Instant.EPOCH)))));

    private static final TreePath FIRST_CHILD = new TreePath("\u0001");
    private static final char AFTER_SLASH = '/' + 1;

    public Tree {
        var copy = new TreeMap<>(entries);
        if (!(copy.get(TreePath.ROOT) instanceof Entry.Directory)) {
            throw new TreeException("tree: without a root directory");
        }
        for (var path : copy.keySet()) {
            var parent = path.parent();
            if (parent.isPresent() && !(copy.get(parent.get()) instanceof Entry.Directory)) {
                throw new TreeException("tree: " + path + " (expected: its parent to be a directory)");
            }
        }
        entries = Collections.unmodifiableSortedMap(copy);
    }

    public Optional<Entry> find(TreePath path) {
        return Optional.ofNullable(entries.get(path));
    }

    /** Everything below the path, without the path itself. */
    public SortedMap<TreePath, Entry> below(TreePath path) {
        return below(entries, path);
    }

    /** The canonical bytes of this tree; equal trees have equal bytes. */
    public byte[] toBytes() {
        return TreeFormat.write(this);
    }

    /** Reads canonical bytes; anything else is refused. */
    public static Tree parse(byte[] bytes) {
        return TreeFormat.read(bytes);
    }

    public Digest digest() {
        return Digest.of(toBytes());
    }

    /** Total bytes of all files. */
    public long size() {
        return entries.values().stream()
                .mapToLong(entry -> entry instanceof Entry.File file ? file.size() : 0)
                .sum();
    }

    /** This tree with the changes of an overlay on top of it. */
    public Tree apply(List<Change> changes) {
        var result = new TreeMap<>(entries);
        for (var change : changes) {
            var path = change.path();
            switch (change) {
                case Change.Delete _ -> remove(result, path);
                case Change.Put put -> {
                    remove(result, path);
                    result.put(path, put.entry());
                }
                case Change.PutDirectory put -> {
                    switch (put.below()) {
                        case Below.Same _ -> {
                            if (!(result.get(path) instanceof Entry.Directory)) {
                                remove(result, path);
                            }
                        }
                        case Below.Nothing _ -> remove(result, path);
                        case Below.MovedFrom(var source) -> {
                            remove(result, path);
                            below(source).forEach((from, entry) -> result.put(from.moved(source, path), entry));
                        }
                    }
                    result.put(path, put.entry());
                }
            }
        }
        return new Tree(result);
    }

    private static void remove(NavigableMap<TreePath, Entry> entries, TreePath path) {
        below(entries, path).clear();
        entries.remove(path);
    }

    private static SortedMap<TreePath, Entry> below(SortedMap<TreePath, Entry> entries, TreePath path) {
        if (path.isRoot()) {
            return entries.tailMap(FIRST_CHILD);
        }
        return entries.subMap(path.child(FIRST_CHILD.value()), new TreePath(path.value() + AFTER_SLASH));
    }
}
