package dev.slate.sdk.internal.tar;

import dev.slate.sdk.SandboxPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Unpacks a tar from a sandbox, which may be hostile, below a local directory and nowhere else. Names never lead
 * through a link, neither one of the tar nor one that was there; links that lead out are left out; devices and what is
 * broken are an {@link UnsafeTarException}. Confined to one thread.
 */
public final class TreeUnpacking {

    private static final int MAX_DEPTH = 500;
    private static final int MAX_LEFT_OUT = 1000;

    private final Path root;
    private final LongConsumer progress;
    private final Deque<Level> levels = new ArrayDeque<>();
    private final List<String> leftOut = new ArrayList<>();
    private long entries;
    private long bytes;

    /** An open directory on the way to the latest member; its mode and time are set when it is left. */
    private static final class Level {
        private final byte[] name;
        private final Path path;
        private Optional<TarMember> member = Optional.empty();

        Level(byte[] name, Path path) {
            this.name = name;
            this.path = path;
        }
    }

    private TreeUnpacking(Path root, LongConsumer progress) {
        this.root = root;
        this.progress = progress;
    }

    /** What was unpacked: entries, bytes of files, and the text forms of the first links that were left out. */
    public record Result(long entries, long bytes, List<String> leftOut) {
        public Result {
            leftOut = List.copyOf(leftOut);
        }
    }

    /** Makes the directory if missing; what was unpacked before a failure stays. The consumer hears the bytes so far. */
    public static Result unpack(InputStream tar, Path directory, LongConsumer progress) throws IOException {
        Files.createDirectories(directory);
        var unpacking = new TreeUnpacking(directory.toRealPath(), progress);
        var reader = new TarReader(tar);
        for (var member = reader.next(); member.isPresent(); member = reader.next()) {
            unpacking.put(member.get(), reader);
        }
        unpacking.leave(0);
        return new Result(unpacking.entries, unpacking.bytes, unpacking.leftOut);
    }

    private void put(TarMember member, TarReader reader) throws IOException {
        var parts = parts(member.name());
        entries++;
        if (member.type() == TarMember.Type.DIRECTORY) {
            enter(parts);
            var level = levels.peekLast();
            if (level != null) {
                level.member = Optional.of(member);
            }
            return;
        }
        if (parts.isEmpty()) {
            throw new UnsafeTarException("a member without a name (expected: a directory)");
        }
        var parents = parts.subList(0, parts.size() - 1);
        var target = enter(parents).resolve(LocalNames.path(parts.getLast()));
        switch (member.type()) {
            case FILE -> file(member, target, reader);
            case SYMLINK -> symlink(member, target, parents.size());
            case HARD_LINK -> hardLink(member, target);
            case DIRECTORY -> throw new IllegalStateException("handled above");
        }
    }

    private void file(TarMember member, Path target, TarReader reader) throws IOException {
        clear(target);
        // New, so it is no link that leads elsewhere.
        try (var out = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            reader.copyTo(out);
        }
        Files.setPosixFilePermissions(target, permissions(member.mode()));
        Files.setLastModifiedTime(target, FileTime.from(member.modified(), TimeUnit.SECONDS));
        bytes += member.size();
        progress.accept(bytes);
    }

    private void symlink(TarMember member, Path target, int depth) throws IOException {
        if (leadsOut(member.link(), depth)) {
            if (leftOut.size() < MAX_LEFT_OUT) {
                leftOut.add(SandboxPath.of(member.name()));
            }
            return;
        }
        clear(target);
        Files.createSymbolicLink(target, LocalNames.path(member.link()));
        Files.getFileAttributeView(target, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(member.modified(), TimeUnit.SECONDS), null, null);
    }

    /**
     * A target goes up first, by no more than its own depth, and then only down: going up again behind another link
     * could lead anywhere.
     */
    private static boolean leadsOut(byte[] target, int depth) {
        if (target.length == 0 || target[0] == '/' || contains(target, (byte) 0)) {
            return true;
        }
        int up = 0;
        boolean down = false;
        for (var part : split(target)) {
            if (!isDots(part)) {
                down = true;
            } else if (down || ++up > depth) {
                return true;
            }
        }
        return false;
    }

    private void hardLink(TarMember member, Path target) throws IOException {
        var parts = parts(member.link());
        var from = root;
        for (int i = 0; i < parts.size(); i++) {
            from = from.resolve(LocalNames.path(parts.get(i)));
            var found = find(from);
            boolean last = i == parts.size() - 1;
            if (found.isEmpty()
                    || !(last ? found.get().isRegularFile() : found.get().isDirectory())) {
                throw new UnsafeTarException(SandboxPath.of(member.name()) + ": a hard link to "
                        + SandboxPath.of(member.link()) + " (expected: a file that came before)");
            }
        }
        if (!from.equals(target)) {
            clear(target);
            Files.createLink(target, from);
        }
    }

    private static void clear(Path target) throws IOException {
        var found = find(target);
        if (found.isPresent() && found.get().isDirectory()) {
            throw new FileAlreadyExistsException(target.toString(), null, "a directory is there");
        }
        if (found.isPresent()) {
            Files.delete(target);
        }
    }

    private Path enter(List<byte[]> path) throws IOException {
        if (path.size() > MAX_DEPTH) {
            throw new UnsafeTarException("more than " + MAX_DEPTH + " directories deep");
        }
        int common = 0;
        for (var level : levels) {
            if (common == path.size() || !Arrays.equals(level.name, path.get(common))) {
                break;
            }
            common++;
        }
        leave(common);
        for (var name : path.subList(common, path.size())) {
            var here = levels.isEmpty() ? root : levels.getLast().path;
            var directory = here.resolve(LocalNames.path(name));
            var found = find(directory);
            if (found.isEmpty()) {
                Files.createDirectory(directory);
            } else if (!found.get().isDirectory()) {
                throw new UnsafeTarException("leads through " + directory + " (expected: a directory, no link)");
            }
            levels.addLast(new Level(name, directory));
        }
        return levels.isEmpty() ? root : levels.getLast().path;
    }

    private void leave(int keep) throws IOException {
        while (levels.size() > keep) {
            var level = levels.removeLast();
            if (level.member.isPresent()) {
                var member = level.member.get();
                // The owner must be able to remove it again.
                Files.setPosixFilePermissions(level.path, permissions(member.mode() | 0700));
                Files.setLastModifiedTime(level.path, FileTime.from(member.modified(), TimeUnit.SECONDS));
            }
        }
    }

    private static Optional<BasicFileAttributes> find(Path path) throws IOException {
        try {
            return Optional.of(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        } catch (java.nio.file.NoSuchFileException _) {
            return Optional.empty();
        }
    }

    private static List<byte[]> parts(byte[] name) throws UnsafeTarException {
        var parts = split(name);
        if ((name.length > 0 && name[0] == '/')
                || contains(name, (byte) 0)
                || parts.stream().anyMatch(TreeUnpacking::isDots)) {
            throw new UnsafeTarException(SandboxPath.of(name) + " (expected: a relative path without ..)");
        }
        return parts;
    }

    /** Parts between slashes, without empty ones and single dots. */
    private static List<byte[]> split(byte[] path) {
        var parts = new ArrayList<byte[]>();
        int start = 0;
        for (int i = 0; i <= path.length; i++) {
            if (i == path.length || path[i] == '/') {
                boolean dot = i - start == 1 && path[start] == '.';
                if (i > start && !dot) {
                    parts.add(Arrays.copyOfRange(path, start, i));
                }
                start = i + 1;
            }
        }
        return parts;
    }

    private static boolean isDots(byte[] part) {
        return part.length == 2 && part[0] == '.' && part[1] == '.';
    }

    private static boolean contains(byte[] bytes, byte wanted) {
        for (byte b : bytes) {
            if (b == wanted) {
                return true;
            }
        }
        return false;
    }

    /** Without the bits that would run a file with its owner's rights. */
    private static Set<PosixFilePermission> permissions(int mode) {
        var letters = new StringBuilder(9);
        for (int i = 0; i < 9; i++) {
            letters.append((mode & (0400 >> i)) == 0 ? '-' : "rwx".charAt(i % 3));
        }
        return PosixFilePermissions.fromString(letters.toString());
    }
}
