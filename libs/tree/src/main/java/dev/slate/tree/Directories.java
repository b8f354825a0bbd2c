package dev.slate.tree;

import dev.slate.tree.posix.Directory;
import java.io.IOException;
import java.nio.file.Path;

/** Walks down from a root, one directory at a time, refusing links. */
final class Directories {
    private Directories() {}

    static Directory open(Path root, TreePath path) throws IOException {
        var directory = Directory.open(root);
        if (path.isRoot()) {
            return directory;
        }
        for (var name : path.value().split("/", -1)) {
            try (var outer = directory) {
                directory = outer.open(name);
            }
        }
        return directory;
    }
}
