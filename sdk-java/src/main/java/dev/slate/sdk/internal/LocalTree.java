package dev.slate.sdk.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What lies under a local path, sorted, without {@code .git}, links kept as links. */
public final class LocalTree {

    /** One entry; its path is relative to the root and empty for the root itself. */
    public sealed interface Entry {

        String path();

        /** Mode is 0755 when its owner may execute it and 0644 otherwise, so that a umask changes no digest. */
        record RegularFile(String path, Path local, int mode) implements Entry {}

        record SymbolicLink(String path, String target) implements Entry {}

        record EmptyDirectory(String path) implements Entry {}
    }

    private LocalTree() {}

    /** A single file gives one entry with an empty path. */
    public static List<Entry> read(Path root) {
        if (!Files.exists(root)) {
            throw new IllegalArgumentException("local path: " + root + " (expected: an existing file or directory)");
        }
        var entries = new ArrayList<Entry>();
        collect(root.toAbsolutePath().normalize(), "", entries);
        return entries;
    }

    private static void collect(Path local, String path, List<Entry> entries) {
        try {
            if (!path.isEmpty() && Files.isSymbolicLink(local)) {
                entries.add(new Entry.SymbolicLink(
                        path, Files.readSymbolicLink(local).toString()));
            } else if (Files.isDirectory(local)) {
                collectChildren(local, path, entries);
            } else if (Files.isRegularFile(local)) {
                entries.add(new Entry.RegularFile(path, local, mode(local)));
            } else {
                throw new IllegalArgumentException(
                        "local path: " + local + " (expected: a file, a directory or a symbolic link)");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + local, e);
        }
    }

    private static void collectChildren(Path local, String path, List<Entry> entries) throws IOException {
        List<Path> children;
        try (Stream<Path> listing = Files.list(local)) {
            children = listing.filter(child -> !child.endsWith(".git")).sorted().toList();
        }
        if (children.isEmpty()) {
            entries.add(new Entry.EmptyDirectory(path));
        }
        for (var child : children) {
            var name = child.getFileName().toString();
            collect(child, path.isEmpty() ? name : path + "/" + name, entries);
        }
    }

    /** As {@link Entry.RegularFile} has it. */
    public static int mode(Path file) {
        try {
            var permissions = Files.getPosixFilePermissions(file);
            return permissions.contains(PosixFilePermission.OWNER_EXECUTE) ? 0755 : 0644;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
