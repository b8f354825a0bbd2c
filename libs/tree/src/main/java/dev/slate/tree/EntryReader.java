package dev.slate.tree;

import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Turns what stands in an open directory into an entry. */
final class EntryReader {
    private EntryReader() {}

    /** Empty for devices, FIFOs and sockets. */
    static Optional<Entry> read(Directory parent, String name, Stat stat, BodySink bodies) throws IOException {
        var path = parent.child(name);
        return switch (stat.kind()) {
            case DIRECTORY -> Optional.of(new Entry.Directory(Attributes.read(stat, path)));
            case SYMLINK -> Optional.of(new Entry.Symlink(Attributes.read(stat, path), Posix.readLink(path)));
            case FILE -> {
                try (var file = parent.openFile(name)) {
                    var attributes = Attributes.read(file.stat(), path);
                    var stored = bodies.put(file.body());
                    yield Optional.of(new Entry.File(attributes, stored.size(), stored.digest()));
                }
            }
            case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> Optional.empty();
        };
    }

    static Optional<Entry> read(Path root, TreePath path, BodySink bodies) throws IOException {
        if (path.isRoot()) {
            try (var directory = Directory.open(root)) {
                return Optional.of(root(directory));
            }
        }
        try (var parent = Directories.open(root, path.parent().orElseThrow())) {
            return read(parent, path.name(), Posix.stat(parent.child(path.name())), bodies);
        }
    }

    static Entry.Directory root(Directory directory) throws IOException {
        return new Entry.Directory(Attributes.read(directory.stat(), directory.path()));
    }
}
