package dev.slate.volume.version;

import dev.slate.tree.Digest;
import dev.slate.tree.TreePath;

/** One change of a commit by path. */
public sealed interface FileEdit {
    TreePath path();

    /** Puts a file; a mode of 0 keeps that of an existing file and gives a new one 0644. */
    record PutFile(TreePath path, Digest content, long size, int mode) implements FileEdit {}

    /** Makes a directory, and those above it; an existing one stays as it is. */
    record MakeDirectory(TreePath path) implements FileEdit {}

    record PutSymlink(TreePath path, String target) implements FileEdit {}

    /** Removes a file, or a directory with all it holds. */
    record Remove(TreePath path) implements FileEdit {}
}
