package dev.slate.volume.version;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.Attributes;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/** Applies edits by path to a tree, in their order, all or none. */
public final class TreeEdit {
    private static final int FILE_MODE = 0644;
    private static final int DIRECTORY_MODE = 0755;
    private static final int LINK_MODE = 0777;
    private static final int MODE_BITS = 0xFFF;

    private final TreeMap<TreePath, Entry> entries;
    private final Instant now;

    private TreeEdit(Tree tree, Instant now) {
        this.entries = new TreeMap<>(tree.entries());
        this.now = now;
    }

    public static Tree apply(Tree tree, List<FileEdit> edits, Instant now) {
        TreeEdit edit = new TreeEdit(tree, now);
        edits.forEach(edit::apply);
        return new Tree(edit.entries);
    }

    private void apply(FileEdit edit) {
        if (edit.path().isRoot()) {
            throw PlatformException.invalid("path", "", "a path below the root of the volume");
        }
        switch (edit) {
            case FileEdit.PutFile put -> putFile(put);
            case FileEdit.MakeDirectory make -> makeDirectories(make.path());
            case FileEdit.PutSymlink link -> {
                makeRoom(link.path());
                entries.put(link.path(), new Entry.Symlink(Attributes.of(LINK_MODE, now), link.target()));
            }
            case FileEdit.Remove remove -> remove(remove.path());
        }
    }

    private void putFile(FileEdit.PutFile put) {
        if (put.mode() < 0 || put.mode() > MODE_BITS) {
            throw PlatformException.invalid("mode of " + put.path(), Integer.toOctalString(put.mode()), "0 to 7777");
        }
        Entry before = entries.get(put.path());
        makeRoom(put.path());
        Attributes attributes =
                before instanceof Entry.File file ? file.attributes().withModified(now) : Attributes.of(FILE_MODE, now);
        if (put.mode() != 0) {
            attributes = new Attributes(
                    put.mode(), attributes.uid(), attributes.gid(), attributes.modified(), attributes.xattrs());
        }
        entries.put(put.path(), new Entry.File(attributes, put.size(), put.content()));
    }

    /** Makes the directories above; what stands at the path itself must not be a directory. */
    private void makeRoom(TreePath path) {
        makeDirectories(path.parent().orElse(TreePath.ROOT));
        if (entries.get(path) instanceof Entry.Directory) {
            throw refused(path, "is a directory (expected: remove it before a file takes its place)");
        }
    }

    private void makeDirectories(TreePath path) {
        Entry there = entries.get(path);
        if (there instanceof Entry.Directory) {
            return;
        }
        if (there != null) {
            throw refused(path, "is not a directory");
        }
        makeDirectories(path.parent().orElse(TreePath.ROOT));
        entries.put(path, new Entry.Directory(Attributes.of(DIRECTORY_MODE, now)));
    }

    private void remove(TreePath path) {
        if (entries.remove(path) == null) {
            throw PlatformException.notFound("file", path.value());
        }
        entries.tailMap(path, false).keySet().removeIf(other -> other.isBelow(path));
    }

    private static PlatformException refused(TreePath path, String why) {
        return new PlatformException(ErrorCode.FAILED_PRECONDITION, path + " " + why);
    }
}
