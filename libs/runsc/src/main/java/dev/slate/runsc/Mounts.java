package dev.slate.runsc;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Mounts and unmounts by system call: no program is started, and no limit on the length of an option applies.
 *
 * <p>Uses the mount interface of Linux 5.2, and for overlays the {@code lowerdir+} of 6.5. Thread-safe.
 */
public final class Mounts {

    private static final Path MOUNT_INFO = Path.of("/proc/self/mountinfo");
    private static final long AT_FDCWD = -100;
    private static final long CLOSE_ON_EXEC = 1;
    private static final long SET_FLAG = 0;
    private static final long SET_STRING = 1;
    private static final long CREATE = 6;
    private static final long ATTRIBUTE_READ_ONLY = 1;
    private static final long FROM_EMPTY_PATH = 4;
    private static final long EMPTY_PATH = 0x1000;
    private static final long TREE_CLONE = 1;
    private static final long TREE_CLOSE_ON_EXEC = 0x80000;
    private static final long RECURSIVE = 0x8000;
    private static final long DETACH = 2;
    private static final long INVALID_ARGUMENT = 22;
    private static final long NO_SUCH_ENTRY = 2;

    private Mounts() {}

    /** Mounts an overlay at {@code target}, an existing folder. */
    public static void overlay(OverlayMount overlay, Path target) {
        List<Map.Entry<String, String>> options = new ArrayList<>();
        overlay.lowers().forEach(lower -> options.add(Map.entry("lowerdir+", lower.toString())));
        overlay.bodies().forEach(body -> options.add(Map.entry("datadir+", body.toString())));
        overlay.writable().ifPresent(writable -> {
            options.add(Map.entry("upperdir", writable.upper().toString()));
            options.add(Map.entry("workdir", writable.work().toString()));
        });
        if (!overlay.bodies().isEmpty()) {
            options.add(Map.entry("metacopy", "on"));
            options.add(Map.entry("redirect_dir", "on"));
        }
        mount("overlay", options, overlay.writable().isEmpty(), target);
    }

    /** Mounts a file system of any type at {@code target}; an option with an empty value is a flag. */
    public static void mount(String type, List<Map.Entry<String, String>> options, boolean readOnly, Path target) {
        String what = type + " at " + target;
        try (Arena arena = Arena.ofConfined()) {
            long context = check(
                    what,
                    0,
                    MountCalls.call(
                            MountCalls.FSOPEN, MountCalls.text(arena, type).address(), CLOSE_ON_EXEC, 0, 0, 0));
            try {
                for (Map.Entry<String, String> option : options) {
                    configure(arena, what, context, option.getKey(), option.getValue());
                }
                check(what, context, MountCalls.call(MountCalls.FSCONFIG, context, CREATE, 0, 0, 0));
                long attributes = readOnly ? ATTRIBUTE_READ_ONLY : 0;
                long mount = check(
                        what, context, MountCalls.call(MountCalls.FSMOUNT, context, CLOSE_ON_EXEC, attributes, 0, 0));
                attach(arena, what, mount, target);
            } finally {
                close(context);
            }
        }
    }

    /** Makes {@code source} and what is mounted in it visible at {@code target}; both are folders or both are files. */
    public static void bind(Path source, Path target, boolean readOnly) {
        String what = "bind of " + source + " at " + target;
        try (Arena arena = Arena.ofConfined()) {
            long mount = check(
                    what,
                    0,
                    MountCalls.call(
                            MountCalls.OPEN_TREE,
                            AT_FDCWD,
                            MountCalls.text(arena, source).address(),
                            TREE_CLONE | TREE_CLOSE_ON_EXEC | RECURSIVE,
                            0,
                            0));
            if (readOnly) {
                MemorySegment attributes = arena.allocate(ValueLayout.JAVA_LONG, 4);
                attributes.set(ValueLayout.JAVA_LONG, 0, ATTRIBUTE_READ_ONLY);
                long empty = MountCalls.text(arena, "").address();
                check(
                        what,
                        0,
                        MountCalls.call(
                                MountCalls.MOUNT_SETATTR,
                                mount,
                                empty,
                                EMPTY_PATH,
                                attributes.address(),
                                attributes.byteSize()));
            }
            attach(arena, what, mount, target);
        }
    }

    /** Takes the topmost mount off {@code target} at once, even when files in it are open; none there is fine. */
    public static void unmount(Path target) {
        try (Arena arena = Arena.ofConfined()) {
            long result = MountCalls.call(
                    MountCalls.UMOUNT2, MountCalls.text(arena, target).address(), DETACH, 0, 0, 0);
            if (result != -INVALID_ARGUMENT && result != -NO_SUCH_ENTRY) {
                check("unmount of " + target, 0, result);
            }
        }
    }

    /** Where something is mounted at or below {@code folder}, the innermost first: the order to unmount in. */
    public static List<Path> below(Path folder) {
        try {
            return Files.readAllLines(MOUNT_INFO).stream()
                    .map(line -> Path.of(unescape(line.split(" ", -1)[4])))
                    .filter(target -> target.startsWith(folder))
                    .toList()
                    .reversed();
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    private static void configure(Arena arena, String what, long context, String key, String value) {
        long name = MountCalls.text(arena, key).address();
        long command = value.isEmpty() ? SET_FLAG : SET_STRING;
        long text = value.isEmpty() ? 0 : MountCalls.text(arena, value).address();
        check(
                what + ", " + key + "=" + value,
                context,
                MountCalls.call(MountCalls.FSCONFIG, context, command, name, text, 0));
    }

    private static void attach(Arena arena, String what, long mount, Path target) {
        try {
            long empty = MountCalls.text(arena, "").address();
            long path = MountCalls.text(arena, target).address();
            check(what, 0, MountCalls.call(MountCalls.MOVE_MOUNT, mount, empty, AT_FDCWD, path, FROM_EMPTY_PATH));
        } finally {
            close(mount);
        }
    }

    private static long check(String what, long context, long result) {
        if (result < 0) {
            throw new RunscException("mount " + what + ": error " + -result + kernelMessage(context));
        }
        return result;
    }

    /** The kernel explains a refused option through the descriptor of the file system being made. */
    private static String kernelMessage(long context) {
        if (context == 0) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(1024);
            long length = MountCalls.call(MountCalls.READ, context, buffer.address(), buffer.byteSize(), 0, 0);
            if (length <= 0) {
                return "";
            }
            byte[] message = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            return " (" + new String(message, StandardCharsets.UTF_8).strip() + ")";
        }
    }

    private static void close(long descriptor) {
        MountCalls.call(MountCalls.CLOSE, descriptor, 0, 0, 0, 0);
    }

    private static String unescape(String path) {
        return path.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
