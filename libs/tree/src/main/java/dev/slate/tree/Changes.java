package dev.slate.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What an overlay changed, and what it holds that neither a tree nor a layer can keep.
 *
 * @param skipped devices, FIFOs and sockets, for the report to the user
 */
public record Changes(List<Change> list, List<Skipped> skipped) {
    /** A file that is left out, and what it is. */
    public record Skipped(TreePath path, String kind) {}

    public Changes {
        list = list.stream().sorted(Comparator.comparing(Change::path)).toList();
        skipped = List.copyOf(skipped);
    }

    public boolean isEmpty() {
        return list.isEmpty();
    }

    /**
     * Leaves out what equals the lower tree: files that were copied up and not changed, removals of what never was,
     * directories that only changed their time because something below them came and went.
     */
    public Changes withoutNoOps(Lower lower) throws IOException {
        var kept = new ArrayList<Change>();
        var needed = new HashSet<TreePath>();
        var detached = detached();
        for (var change : list.reversed()) {
            if (needed.contains(change.path()) || isBelowAny(change.path(), detached) || !isNoOp(change, lower)) {
                kept.add(change);
                change.path().parent().ifPresent(needed::add);
            }
        }
        return new Changes(kept, skipped);
    }

    /** Directories that do not show the lower children of the same path: nothing below them is comparable. */
    private Set<TreePath> detached() {
        var detached = new HashSet<TreePath>();
        for (var change : list) {
            if (change instanceof Change.PutDirectory put && !(put.below() instanceof Below.Same)) {
                detached.add(put.path());
            }
        }
        return detached;
    }

    private static boolean isBelowAny(TreePath path, Set<TreePath> directories) {
        for (var up = path.parent(); up.isPresent(); up = up.get().parent()) {
            if (directories.contains(up.get())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNoOp(Change change, Lower lower) throws IOException {
        Optional<Entry> before = lower.find(change.path());
        return switch (change) {
            case Change.Delete _ -> before.isEmpty();
            case Change.Put put -> before.equals(Optional.of(put.entry()));
            case Change.PutDirectory put ->
                put.below() instanceof Below.Same
                        && before.isPresent()
                        && before.get() instanceof Entry.Directory directory
                        && directory.attributes().equalsButTime(put.entry().attributes());
        };
    }

    /**
     * Says the same without hidden directories: removals of the lower children by name. A layer needs this form.
     */
    public Changes withExplicitDeletes(Lower lower) throws IOException {
        var result = new TreeMap<TreePath, Change>();
        for (var change : list) {
            result.put(change.path(), change);
        }
        for (var change : list) {
            if (change instanceof Change.PutDirectory put && put.below() instanceof Below.Nothing) {
                result.put(put.path(), new Change.PutDirectory(put.path(), put.entry(), new Below.Same()));
                for (var name : lower.names(put.path())) {
                    var child = put.path().child(name);
                    result.computeIfAbsent(child, Change.Delete::new);
                }
            }
        }
        return new Changes(List.copyOf(result.values()), skipped);
    }
}
