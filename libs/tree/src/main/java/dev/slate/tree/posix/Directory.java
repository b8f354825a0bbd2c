package dev.slate.tree.posix;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * An open directory whose children are reached through its descriptor.
 *
 * <p>{@link #child} answers a path below {@code /proc/self/fd}, so nobody who renames or links directories meanwhile
 * can lead an operation elsewhere, and the length of the whole path does not matter. Confined to one thread.
 */
public final class Directory implements AutoCloseable {
    private final int descriptor;
    private final Path self;
    private final String shown;

    private Directory(Path path, String shown) throws IOException {
        this.descriptor = Posix.openDirectory(path);
        this.self = Path.of("/proc/self/fd/" + descriptor);
        this.shown = shown;
    }

    /** Opens a directory of ours. Parts before the last may be links. */
    public static Directory open(Path path) throws IOException {
        return new Directory(path, path.toString());
    }

    /** Opens a child directory; fails on a link and on anything else. */
    public Directory open(String name) throws IOException {
        return new Directory(child(name), shown + "/" + name);
    }

    /** A path to the child that stays inside this directory while it is open. */
    public Path child(String name) throws FileSystemException {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw new FileSystemException(shown, name, "not a plain name");
        }
        return self.resolve(name);
    }

    /** The path of this directory itself, valid while it is open; ends in a link, for calls that follow it. */
    public Path path() {
        return self.resolve(".");
    }

    /** The path as it was opened, for messages. */
    public String shown() {
        return shown;
    }

    public Stat stat() throws IOException {
        return Posix.stat(descriptor);
    }

    /** Names of the children in the order of their UTF-8 bytes. May be called once. */
    public List<String> names() throws IOException {
        var names = Posix.names(descriptor, Path.of(shown));
        names.sort(Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        return names;
    }

    /** Opens a child that must be a regular file. */
    public OpenFile openFile(String name) throws IOException {
        int file = Posix.openFile(child(name));
        try {
            var stat = Posix.stat(file);
            if (stat.kind() != Stat.Kind.FILE) {
                throw new FileSystemException(shown, name, "changed while it was read");
            }
            return new OpenFile(
                    stat,
                    Channels.newInputStream(
                            FileChannel.open(Path.of("/proc/self/fd/" + file), StandardOpenOption.READ)));
        } finally {
            Posix.close(file);
        }
    }

    /** A regular file with the metadata of exactly the opened inode. */
    public record OpenFile(Stat stat, InputStream body) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    @Override
    public void close() throws IOException {
        Posix.close(descriptor);
    }

    /** Removes a file or a whole directory without following links; does nothing when it is absent. */
    public static void deleteTree(Path path) throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(path);
            return;
        }
        try (var stream = Files.newDirectoryStream(path)) {
            if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
                throw new FileSystemException(path.toString(), null, "no descriptor-relative access to directories");
            }
            deleteChildren(secure);
        }
        Files.delete(path);
    }

    private static void deleteChildren(SecureDirectoryStream<Path> directory) throws IOException {
        for (var child : directory) {
            var name = child.getFileName();
            var attributes = directory
                    .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
            if (!attributes.isDirectory()) {
                directory.deleteFile(name);
                continue;
            }
            try (var inner = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                deleteChildren(inner);
            }
            directory.deleteDirectory(name);
        }
    }
}
