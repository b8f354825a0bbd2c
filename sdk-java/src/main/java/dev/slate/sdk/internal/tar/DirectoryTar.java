package dev.slate.sdk.internal.tar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A local directory and all below it as a tar, made while it is read, so its size does not matter. Links are kept as
 * links, files with several names as hard links; pipes, sockets and devices are left out. Confined to one thread.
 */
public final class DirectoryTar extends InputStream {

    /** Files with several names that are remembered; more of them are sent whole each time. */
    private static final int MAX_LINKED = 100_000;

    private final LongConsumer progress;
    private final Deque<Level> levels = new ArrayDeque<>();
    private final Map<Object, byte[]> linked = new HashMap<>();
    private InputStream current = InputStream.nullInputStream();
    private @Nullable Path next;
    private long count;
    private long left;
    private int padding;
    private boolean ended;

    /** A directory that is being read. */
    private static final class Level {
        private final byte[] prefix;
        private final DirectoryStream<Path> stream;
        private final Iterator<Path> entries;

        Level(byte[] prefix, DirectoryStream<Path> stream) {
            this.prefix = prefix;
            this.stream = stream;
            this.entries = stream.iterator();
        }
    }

    /** The consumer hears the bytes so far. */
    public DirectoryTar(Path root, LongConsumer progress) throws IOException {
        this.progress = progress;
        // What the caller names may be a link.
        var attributes = Files.readAttributes(root, PosixFileAttributes.class);
        current = header(TarMember.Type.DIRECTORY, "./".getBytes(StandardCharsets.US_ASCII), attributes, 0);
        enter(root, new byte[0]);
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (true) {
            int n = current.read(buffer, offset, length);
            if (n > 0) {
                count += n;
                progress.accept(count);
                return n;
            }
            if (!advance()) {
                return -1;
            }
        }
    }

    @Override
    public void close() throws IOException {
        current.close();
        while (!levels.isEmpty()) {
            levels.pop().stream.close();
        }
    }

    /** Goes on to what comes next: the content of a file, its padding, the next header or the end mark. */
    private boolean advance() throws IOException {
        current.close();
        if (next != null) {
            current = new WholeFile(next, left);
            next = null;
        } else if (padding > 0) {
            current = new ByteArrayInputStream(new byte[padding]);
            padding = 0;
        } else if (!ended) {
            current = nextHeader();
        } else {
            return false;
        }
        return true;
    }

    private InputStream nextHeader() throws IOException {
        while (!levels.isEmpty()) {
            var level = levels.peek();
            if (!level.entries.hasNext()) {
                levels.pop().stream.close();
                continue;
            }
            var path = level.entries.next();
            var name = LocalNames.bytes(path.getFileName());
            var full = Arrays.copyOf(level.prefix, level.prefix.length + name.length);
            System.arraycopy(name, 0, full, level.prefix.length, name.length);
            var attributes = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isDirectory()) {
                var prefix = Arrays.copyOf(full, full.length + 1);
                prefix[full.length] = '/';
                enter(path, prefix);
                return header(TarMember.Type.DIRECTORY, prefix, attributes, 0);
            }
            if (attributes.isSymbolicLink()) {
                var target = Files.readSymbolicLink(path);
                var bytes = LocalNames.bytes(target);
                return header(
                        TarMember.Type.SYMLINK, full, target.isAbsolute() ? absolute(bytes) : bytes, attributes, 0);
            }
            if (attributes.isRegularFile()) {
                return file(path, full, attributes);
            }
        }
        ended = true;
        return new ByteArrayInputStream(new byte[2 * TarFormat.BLOCK]);
    }

    private InputStream file(Path path, byte[] name, PosixFileAttributes attributes) throws IOException {
        var links = Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
        var key = attributes.fileKey();
        if (key != null && links instanceof Integer number && number > 1) {
            var first = linked.get(key);
            if (first != null) {
                return header(TarMember.Type.HARD_LINK, name, first, attributes, 0);
            }
            if (linked.size() < MAX_LINKED) {
                linked.put(key, name);
            }
        }
        next = path;
        left = attributes.size();
        padding = TarFormat.padding(left);
        return header(TarMember.Type.FILE, name, attributes, left);
    }

    @SuppressWarnings("StreamResourceLeak") // closed when the level is left
    private void enter(Path directory, byte[] prefix) throws IOException {
        levels.push(new Level(prefix, Files.newDirectoryStream(directory)));
    }

    private static byte[] absolute(byte[] target) {
        if (target.length > 0 && target[0] == '/') {
            return target;
        }
        var bytes = new byte[target.length + 1];
        bytes[0] = '/';
        System.arraycopy(target, 0, bytes, 1, target.length);
        return bytes;
    }

    private static InputStream header(TarMember.Type type, byte[] name, PosixFileAttributes attributes, long size) {
        return header(type, name, new byte[0], attributes, size);
    }

    private static InputStream header(
            TarMember.Type type, byte[] name, byte[] link, PosixFileAttributes attributes, long size) {
        long modified = Math.floorDiv(attributes.lastModifiedTime().toMillis(), 1000);
        return new ByteArrayInputStream(
                TarFormat.header(new TarMember(type, name, link, mode(attributes.permissions()), size, modified)));
    }

    private static int mode(Set<PosixFilePermission> permissions) {
        var letters = PosixFilePermissions.toString(permissions);
        int mode = 0;
        for (int i = 0; i < letters.length(); i++) {
            mode |= letters.charAt(i) == '-' ? 0 : 0400 >> i;
        }
        return mode;
    }

    /** The content of a file, which must have the size that its header said. */
    private static final class WholeFile extends java.io.FilterInputStream {
        private final Path path;
        private long left;

        WholeFile(Path path, long size) throws IOException {
            super(Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS));
            this.path = path;
            this.left = size;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int n = super.read(buffer, offset, (int) Math.min(length, left));
            if (n < 0) {
                throw new IOException(path + " became shorter while it was read");
            }
            left -= n;
            return n;
        }
    }
}
