package dev.slate.tree;

/** What of the lower tree shows through a directory of an overlay. */
public sealed interface Below {
    /** The children of the same path, if there are any. */
    record Same() implements Below {}

    /** No child: the directory is new, or replaced the old one. */
    record Nothing() implements Below {}

    /** The children of another directory: this one was renamed. */
    record MovedFrom(TreePath source) implements Below {}
}
