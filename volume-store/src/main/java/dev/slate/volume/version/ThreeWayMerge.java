package dev.slate.volume.version;

import dev.slate.tree.Attributes;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Merges two trees that grew from the same base, path by path.
 *
 * <p>A change of one side is taken, also against a removal by the other. Where both changed a path differently, ours
 * wins and the path is listed. A removed directory takes only what the base had in it: what the other side added
 * stays. Where one side has a directory and the other a file, ours decides the type.
 */
public final class ThreeWayMerge {
    private final Tree base;
    private final Tree ours;
    private final Tree theirs;
    private final Set<TreePath> aboveOurs;
    private final Set<TreePath> aboveTheirs;
    private final TreeMap<TreePath, Entry> merged = new TreeMap<>();
    private final List<TreePath> conflicts = new ArrayList<>();

    private ThreeWayMerge(Tree base, Tree ours, Tree theirs) {
        this.base = base;
        this.ours = ours;
        this.theirs = theirs;
        this.aboveOurs = directoriesAboveChanges(base, ours);
        this.aboveTheirs = directoriesAboveChanges(base, theirs);
    }

    public static MergeResult merge(Tree base, Tree ours, Tree theirs) {
        return new ThreeWayMerge(base, ours, theirs).run();
    }

    private MergeResult run() {
        Set<TreePath> paths = new TreeSet<>(base.entries().keySet());
        paths.addAll(ours.entries().keySet());
        paths.addAll(theirs.entries().keySet());
        for (TreePath path : paths) {
            boolean hasPlace = path.isRoot() || merged.get(path.parent().orElseThrow()) instanceof Entry.Directory;
            Entry result = hasPlace ? decide(path) : null;
            if (result != null) {
                merged.put(path, result);
            } else if (!hasPlace && theirsChanged(path)) {
                conflicts.add(path);
            }
        }
        return new MergeResult(new Tree(merged), conflicts);
    }

    private boolean theirsChanged(TreePath path) {
        Entry entry = theirs.entries().get(path);
        return entry != null && !same(entry, base.entries().get(path));
    }

    private @Nullable Entry decide(TreePath path) {
        Entry before = base.entries().get(path);
        Entry our = ours.entries().get(path);
        Entry their = theirs.entries().get(path);
        if (our instanceof Entry.Directory ourDirectory && their instanceof Entry.Directory theirDirectory) {
            return directory(path, before, ourDirectory, theirDirectory);
        }
        if (our != null && aboveOurs.contains(path)) {
            if (their != null && !same(their, before)) {
                conflicts.add(path);
            }
            return our;
        }
        if (their != null && aboveTheirs.contains(path)) {
            if (our != null) {
                conflicts.add(path);
                return our;
            }
            return their;
        }
        if (same(our, their) || same(their, before)) {
            return our;
        }
        if (same(our, before)) {
            return their;
        }
        return bothChanged(path, before, our, their);
    }

    private @Nullable Entry bothChanged(
            TreePath path, @Nullable Entry before, @Nullable Entry our, @Nullable Entry their) {
        if (before instanceof Entry.File old
                && our instanceof Entry.File ourFile
                && their instanceof Entry.File theirFile) {
            return file(path, old, ourFile, theirFile);
        }
        conflicts.add(path);
        return our == null ? their : our;
    }

    /** A change of content and a change of owner or mode go together. */
    private Entry file(TreePath path, Entry.File before, Entry.File our, Entry.File their) {
        boolean sameContent = our.content().equals(their.content());
        boolean contentClash = !sameContent
                && !our.content().equals(before.content())
                && !their.content().equals(before.content());
        Attributes attributes =
                attributes(path, contentClash, before.attributes(), our.attributes(), their.attributes());
        boolean takeTheirs = our.content().equals(before.content());
        Entry.File content = takeTheirs ? their : our;
        return new Entry.File(attributes, content.size(), content.content());
    }

    private Entry directory(TreePath path, @Nullable Entry before, Entry.Directory our, Entry.Directory their) {
        Attributes old = before instanceof Entry.Directory directory ? directory.attributes() : our.attributes();
        return new Entry.Directory(attributes(path, false, old, our.attributes(), their.attributes()));
    }

    private Attributes attributes(
            TreePath path, boolean alreadyClashes, Attributes before, Attributes our, Attributes their) {
        boolean clash = !our.equalsButTime(their) && !our.equalsButTime(before) && !their.equalsButTime(before);
        if (clash || alreadyClashes) {
            conflicts.add(path);
        }
        Attributes chosen = our.equalsButTime(before) ? their : our;
        return our.modified().isAfter(their.modified())
                ? chosen.withModified(our.modified())
                : chosen.withModified(their.modified());
    }

    /** Every directory that one side must keep, because it changed something below. */
    private static Set<TreePath> directoriesAboveChanges(Tree base, Tree side) {
        Set<TreePath> above = new HashSet<>();
        side.entries().forEach((path, entry) -> {
            if (!same(entry, base.entries().get(path))) {
                TreePath at = path;
                while (!at.isRoot() && above.add(at.parent().orElseThrow())) {
                    at = at.parent().orElseThrow();
                }
            }
        });
        return above;
    }

    /** Whether two entries are equal, apart from the time of a directory, which any change below it moves. */
    private static boolean same(@Nullable Entry one, @Nullable Entry other) {
        if (one instanceof Entry.Directory first && other instanceof Entry.Directory second) {
            return first.attributes().equalsButTime(second.attributes());
        }
        return Objects.equals(one, other);
    }
}
