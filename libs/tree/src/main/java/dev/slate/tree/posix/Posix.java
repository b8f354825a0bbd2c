package dev.slate.tree.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * System calls on paths that never follow a link in the last part.
 *
 * <p>Stateless and safe for any thread. Names are UTF-8: a name with other bytes is an error that says so, never a
 * changed name. The JVM must run with a UTF-8 locale (for example {@code LC_ALL=C.UTF-8}), because NIO encodes names
 * by the locale.
 */
public final class Posix {
    private static final int AT_CURRENT_DIRECTORY = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7FF;
    private static final int MAX_XATTR_BYTES = 65_536;
    private static final int MAX_LINK_BYTES = 4_096;

    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
    private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;

    private static final NativeFunction OPEN = new NativeFunction("open", JAVA_INT, ADDRESS, JAVA_INT);
    private static final NativeFunction CLOSE = new NativeFunction("close", JAVA_INT, JAVA_INT);
    private static final NativeFunction READ_DIRECTORY =
            new NativeFunction("getdents64", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final NativeFunction STATX =
            new NativeFunction("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    private static final NativeFunction READLINK =
            new NativeFunction("readlink", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
    private static final NativeFunction LIST_XATTRS =
            new NativeFunction("llistxattr", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
    private static final NativeFunction GET_XATTR =
            new NativeFunction("lgetxattr", JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
    private static final NativeFunction SET_XATTR =
            new NativeFunction("lsetxattr", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final NativeFunction CHOWN = new NativeFunction("lchown", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final NativeFunction CHMOD = new NativeFunction("chmod", JAVA_INT, ADDRESS, JAVA_INT);
    private static final NativeFunction SET_TIMES =
            new NativeFunction("utimensat", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    private static final NativeFunction LINK =
            new NativeFunction("linkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
    private static final NativeFunction SYMLINK = new NativeFunction("symlink", JAVA_INT, ADDRESS, ADDRESS);
    private static final NativeFunction MKDIR = new NativeFunction("mkdir", JAVA_INT, ADDRESS, JAVA_INT);
    private static final NativeFunction MKNOD = new NativeFunction("mknod", JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
    private static final NativeFunction SYNCFS = new NativeFunction("syncfs", JAVA_INT, JAVA_INT);
    private static final NativeFunction MOUNT =
            new NativeFunction("mount", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
    private static final NativeFunction UNMOUNT = new NativeFunction("umount2", JAVA_INT, ADDRESS, JAVA_INT);

    static {
        var encoding = System.getProperty("sun.jnu.encoding");
        if (!"UTF-8".equals(encoding)) {
            throw new IllegalStateException(
                    "file name encoding: " + encoding + " (expected: UTF-8; start the JVM with LC_ALL=C.UTF-8)");
        }
    }

    private Posix() {}

    /** What the path itself is, also when it is a link. */
    public static Stat stat(Path path) throws IOException {
        return statx(AT_CURRENT_DIRECTORY, path, AT_SYMLINK_NOFOLLOW);
    }

    /** As {@link #stat(Path)}, empty when nothing is there. */
    public static Optional<Stat> find(Path path) throws IOException {
        try {
            return Optional.of(stat(path));
        } catch (ErrnoException e) {
            if (e.errno() == ErrnoException.ENOENT || e.errno() == ErrnoException.ENOTDIR) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public static String readLink(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(MAX_LINK_BYTES);
            int length = (int) READLINK.call(path, buffer, (long) MAX_LINK_BYTES);
            return decode(buffer.asSlice(0, length), path);
        }
    }

    /** Names of all extended attributes that the caller may see; none where the file system has none. */
    public static List<String> xattrNames(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(MAX_XATTR_BYTES);
            int length = (int) LIST_XATTRS.call(path, buffer, (long) MAX_XATTR_BYTES);
            var names = new ArrayList<String>();
            int start = 0;
            for (int i = 0; i < length; i++) {
                if (buffer.get(JAVA_BYTE, i) == 0) {
                    names.add(decode(buffer.asSlice(start, (long) i - start), path));
                    start = i + 1;
                }
            }
            return names;
        } catch (ErrnoException e) {
            if (e.errno() == ErrnoException.EOPNOTSUPP) {
                return List.of();
            }
            throw e;
        }
    }

    /** The value of an extended attribute, empty when it is not set. */
    public static Optional<byte[]> xattr(Path path, String name) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(MAX_XATTR_BYTES);
            int length = (int) GET_XATTR.call(path, name, buffer, (long) MAX_XATTR_BYTES);
            return Optional.of(buffer.asSlice(0, length).toArray(JAVA_BYTE));
        } catch (ErrnoException e) {
            if (e.errno() == ErrnoException.ENODATA || e.errno() == ErrnoException.EOPNOTSUPP) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public static void setXattr(Path path, String name, byte[] value) throws IOException {
        try (var arena = Arena.ofConfined()) {
            SET_XATTR.call(path, name, arena.allocateFrom(JAVA_BYTE, value), (long) value.length, 0);
        }
    }

    /** Changes the owner; of a link, the link's own. The kernel clears setuid, setgid and capabilities. */
    public static void chown(Path path, int uid, int gid) throws IOException {
        CHOWN.call(path, uid, gid);
    }

    /** Sets all twelve mode bits. Follows a link, so the caller must know that this is none. */
    public static void chmod(Path path, int mode) throws IOException {
        CHMOD.call(path, mode);
    }

    /** Sets the modification time; of a link, the link's own. The access time becomes the same. */
    public static void setModified(Path path, Instant time) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var times = arena.allocate(32, 8);
            for (long offset = 0; offset < 32; offset += 16) {
                times.set(JAVA_LONG, offset, time.getEpochSecond());
                times.set(JAVA_LONG, offset + 8, time.getNano());
            }
            SET_TIMES.call(AT_CURRENT_DIRECTORY, path, times, AT_SYMLINK_NOFOLLOW);
        }
    }

    /** Makes a hard link to the existing path itself, also when it is a symbolic link. */
    public static void link(Path existing, Path link) throws IOException {
        LINK.call(AT_CURRENT_DIRECTORY, existing, AT_CURRENT_DIRECTORY, link, 0);
    }

    /** Makes a symbolic link whose target is exactly this text. */
    public static void symlink(String target, Path link) throws IOException {
        SYMLINK.call(target, link);
    }

    public static void makeDirectory(Path path, int mode) throws IOException {
        MKDIR.call(path, mode);
    }

    /** Makes a device node or FIFO. */
    public static void makeNode(Path path, Stat.Kind kind, int mode, int major, int minor) throws IOException {
        long device = ((major & 0xFFFFF000L) << 32)
                | ((major & 0xFFFL) << 8)
                | ((minor & 0xFFFFFF00L) << 12)
                | (minor & 0xFFL);
        MKNOD.call(path, kind.bits() | mode, device);
    }

    /** Makes the mark by which overlayfs hides a name of the layers below. */
    public static void makeWhiteout(Path path) throws IOException {
        makeNode(path, Stat.Kind.CHARACTER_DEVICE, 0, 0, 0);
    }

    /** Writes everything of the file system that holds this directory to its disk. */
    public static void syncFileSystem(Path directory) throws IOException {
        int descriptor = openDirectory(directory);
        try {
            SYNCFS.call(descriptor);
        } finally {
            close(descriptor);
        }
    }

    /** The raw {@code mount} call. */
    public static void mount(String source, Path target, String type, long flags, String data) throws IOException {
        MOUNT.call(source, target, type, flags, data);
    }

    /** The raw {@code umount2} call. */
    public static void unmount(Path target, int flags) throws IOException {
        UNMOUNT.call(target, flags);
    }

    static int openDirectory(Path path) throws ErrnoException {
        return (int) OPEN.call(path, O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
    }

    /** Opens for reading; never blocks on a FIFO that took the place of a file. */
    static int openFile(Path path) throws ErrnoException {
        return (int) OPEN.call(path, O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    }

    static void close(int descriptor) throws ErrnoException {
        CLOSE.call(descriptor);
    }

    static Stat stat(int descriptor) throws ErrnoException {
        return statx(descriptor, Path.of(""), AT_EMPTY_PATH);
    }

    static List<String> names(int descriptor, Path shown) throws IOException {
        var names = new ArrayList<String>();
        try (var arena = Arena.ofConfined()) {
            long size = 65_536;
            var buffer = arena.allocate(size, 8);
            for (long filled = READ_DIRECTORY.call(descriptor, buffer, size);
                    filled > 0;
                    filled = READ_DIRECTORY.call(descriptor, buffer, size)) {
                for (long at = 0; at < filled; at += buffer.get(JAVA_SHORT_UNALIGNED, at + 16) & 0xFFFF) {
                    var name = decode(nameAt(buffer, at + 19), shown);
                    if (!name.equals(".") && !name.equals("..")) {
                        names.add(name);
                    }
                }
            }
        }
        return names;
    }

    private static MemorySegment nameAt(MemorySegment buffer, long start) {
        long end = start;
        while (buffer.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return buffer.asSlice(start, end - start);
    }

    private static Stat statx(int directory, Path path, int flags) throws ErrnoException {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(Stat.BYTES, 8);
            STATX.call(directory, path, flags, STATX_BASIC_STATS, buffer);
            return Stat.of(buffer);
        }
    }

    private static String decode(MemorySegment bytes, Path path) throws FileSystemException {
        var raw = bytes.toArray(JAVA_BYTE);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(raw))
                    .toString();
        } catch (CharacterCodingException e) {
            var shown = new String(raw, StandardCharsets.UTF_8);
            var failure = new FileSystemException(path.toString(), shown, "name is not valid UTF-8");
            failure.initCause(e);
            throw failure;
        }
    }
}
