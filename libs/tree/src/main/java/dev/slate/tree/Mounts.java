package dev.slate.tree;

import dev.slate.tree.posix.ErrnoException;
import dev.slate.tree.posix.Posix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Overlay and bind mounts in the mount namespace of this process. Always without setuid and devices. */
public final class Mounts {
    private static final long READ_ONLY = 1;
    private static final long NO_SUID = 2;
    private static final long NO_DEVICES = 4;
    private static final long REMOUNT = 32;
    private static final long BIND = 4096;
    private static final int DETACH = 2;
    private static final int EBUSY = 16;
    private static final int MAX_OPTION_BYTES = 4095;
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    private Mounts() {}

    /** Whether renaming a directory of a lower layer works, or fails with EXDEV as image layers need it. */
    public enum DirectoryRenames {
        ON,
        OFF
    }

    /** One line of the mount table. */
    public record Mounted(Path target, String type, String source) {}

    /** Mounts a writable overlay; {@code lower} is ordered from the top down. */
    public static void overlay(List<Path> lower, Path upper, Path work, Path target, DirectoryRenames renames)
            throws IOException {
        var options = "lowerdir=%s,upperdir=%s,workdir=%s,redirect_dir=%s,index=off,metacopy=off"
                .formatted(joined(lower), escaped(upper), escaped(work), renames == DirectoryRenames.ON ? "on" : "off");
        mountOverlay(target, NO_SUID | NO_DEVICES, options);
    }

    /** Mounts layers read-only, ordered from the top down; one layer alone is a bind mount. */
    public static void layers(List<Path> lower, Path target) throws IOException {
        if (lower.size() == 1) {
            bind(lower.getFirst(), target, true);
            return;
        }
        mountOverlay(target, NO_SUID | NO_DEVICES | READ_ONLY, "lowerdir=" + joined(lower));
    }

    private static void mountOverlay(Path target, long flags, String options) throws IOException {
        int bytes = options.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_OPTION_BYTES) {
            throw new TreeException("overlay: options of %d bytes (expected: at most %d; use shorter layer paths)"
                    .formatted(bytes, MAX_OPTION_BYTES));
        }
        Posix.mount("overlay", target, "overlay", flags, options);
    }

    public static void bind(Path source, Path target, boolean readOnly) throws IOException {
        Posix.mount(source.toString(), target, "none", BIND, "");
        long flags = REMOUNT | BIND | NO_SUID | NO_DEVICES | (readOnly ? READ_ONLY : 0);
        Posix.mount("none", target, "none", flags, "");
    }

    /** Unmounts the topmost mount on the path; nothing happens when there is none. A busy one is detached. */
    public static void unmount(Path target) throws IOException {
        try {
            Posix.unmount(target, 0);
        } catch (ErrnoException e) {
            switch (e.errno()) {
                case ErrnoException.EINVAL, ErrnoException.ENOENT -> {}
                case EBUSY -> Posix.unmount(target, DETACH);
                default -> throw e;
            }
        }
    }

    /** The mount table of this process, in the order of mounting. */
    public static List<Mounted> list() throws IOException {
        var mounts = new ArrayList<Mounted>();
        for (var line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            var halves = line.split(" - ", 2);
            var target = halves[0].split(" ", -1)[4];
            var rest = halves[1].split(" ", -1);
            mounts.add(new Mounted(Path.of(unescaped(target)), rest[0], unescaped(rest[1])));
        }
        return mounts;
    }

    public static boolean isMounted(Path target) throws IOException {
        return list().stream().anyMatch(mount -> mount.target().equals(target));
    }

    private static String joined(List<Path> lower) {
        return lower.stream().map(Mounts::escaped).collect(Collectors.joining(":"));
    }

    private static String escaped(Path path) {
        return path.toString().replaceAll("([\\\\:,])", "\\\\$1");
    }

    private static String unescaped(String field) {
        return OCTAL.matcher(field)
                .replaceAll(
                        match -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(match.group(1), 8))));
    }
}
