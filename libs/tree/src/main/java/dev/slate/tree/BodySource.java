package dev.slate.tree;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Gives the bytes of a file of a tree. */
@FunctionalInterface
public interface BodySource {
    InputStream open(TreePath path, Entry.File file) throws IOException;

    /** Reads the files of a directory by their paths, without following links. */
    static BodySource directory(Path root) {
        return (path, _) -> {
            try (var parent = Directories.open(root, path.parent().orElseThrow())) {
                return parent.openFile(path.name()).body();
            }
        };
    }
}
