package dev.slate.tree;

/** One file, directory or symbolic link of a tree. */
public sealed interface Entry {
    Attributes attributes();

    /** A regular file. */
    record File(Attributes attributes, long size, Digest content) implements Entry {
        public File {
            if (size < 0) {
                throw new TreeException("size: " + size + " (expected: 0 or more)");
            }
        }
    }

    /** A directory; what it holds are entries of their own. */
    record Directory(Attributes attributes) implements Entry {}

    /** A symbolic link; the target is kept as it is and never followed. */
    record Symlink(Attributes attributes, String target) implements Entry {
        public Symlink {
            if (target.isEmpty() || target.indexOf('\0') >= 0) {
                throw new TreeException("symbolic link target: empty or with NUL (expected: a path)");
            }
        }
    }
}
