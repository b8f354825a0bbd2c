package dev.slate.tree;

/** One difference that the upper directory of an overlay makes; lists of them are sorted by path. */
public sealed interface Change {
    TreePath path();

    /**
     * A file or link stands here now, instead of whatever was there.
     *
     * @param linkGroup equal and not 0 for names of one inode; 0 for a file with one name
     */
    record Put(TreePath path, Entry entry, long linkGroup) implements Change {
        public Put {
            if (entry instanceof Entry.Directory) {
                throw new TreeException("change: " + path + " is a directory (expected: PutDirectory)");
            }
        }
    }

    /** A directory stands here now; {@code below} says what it shows of the lower tree. */
    record PutDirectory(TreePath path, Entry.Directory entry, Below below) implements Change {}

    /** Nothing of the lower tree shows here any more. */
    record Delete(TreePath path) implements Change {
        public Delete {
            if (path.isRoot()) {
                throw new TreeException("change: the root cannot be deleted");
            }
        }
    }
}
