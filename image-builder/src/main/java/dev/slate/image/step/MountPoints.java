package dev.slate.image.step;

import dev.slate.tree.Lower;
import dev.slate.tree.TreePath;
import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.ErrnoException;
import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Takes out of an upper directory what was only made there as a place to mount something on. */
final class MountPoints {
    private MountPoints() {}

    /** Removes the empty file or folder at the path and the folders above it, as far as the lower tree lacks them. */
    static void remove(Path upper, Lower lower, String target) throws IOException {
        Optional<TreePath> path = Optional.of(new TreePath(target.substring(1)));
        while (path.isPresent()
                && !path.get().isRoot()
                && lower.find(path.get()).isEmpty()) {
            if (!removeEmpty(upper, path.get())) {
                return;
            }
            path = path.get().parent();
        }
    }

    private static boolean removeEmpty(Path upper, TreePath path) throws IOException {
        try (Directory parent = open(upper, path.parent().orElseThrow())) {
            Path target = parent.child(path.name());
            Optional<Stat> there = Posix.find(target);
            boolean removable = there.isPresent()
                    && (there.get().kind() == Stat.Kind.DIRECTORY
                            || (there.get().kind() == Stat.Kind.FILE
                                    && there.get().size() == 0));
            if (removable) {
                Files.delete(target);
            }
            return removable;
        } catch (DirectoryNotEmptyException | ErrnoException _) {
            // The step put something of its own there, or a link where the folder was: both belong to the layer.
            return false;
        }
    }

    private static Directory open(Path root, TreePath path) throws IOException {
        Directory directory = Directory.open(root);
        if (path.isRoot()) {
            return directory;
        }
        for (String name : path.value().split("/", -1)) {
            try (Directory outer = directory) {
                directory = outer.open(name);
            }
        }
        return directory;
    }
}
