package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;
import java.util.List;
import java.util.Set;

/** Checks paths inside a sandbox. */
final class SandboxPaths {
    private static final Set<String> RESERVED = Set.of("proc", "sys", "dev", ".slate");
    private static final int LONGEST = 1024;

    private SandboxPaths() {}

    /** Refuses what is not a plain absolute path, the root, and the places that belong to the platform. */
    static void requireMountable(String path) {
        requireAbsolute("volume path", path);
        List<String> parts = List.of(path.substring(1).split("/", -1));
        if (path.equals("/") || RESERVED.contains(parts.getFirst())) {
            throw PlatformException.invalid(
                    "volume path", path, "a path below /, and not in /proc, /sys, /dev or /.slate");
        }
    }

    static void requireAbsolute(String what, String path) {
        boolean plain = path.equals("/")
                || (path.startsWith("/")
                        && path.length() <= LONGEST
                        && List.of(path.substring(1).split("/", -1)).stream()
                                .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals("..")));
        if (!plain || path.chars().anyMatch(c -> c < ' ')) {
            throw PlatformException.invalid(what, path, "an absolute path without empty, . and .. parts");
        }
    }

    /** Whether one of two mount paths is at or below the other. */
    static boolean overlap(String one, String other) {
        return (one + "/").startsWith(other + "/") || (other + "/").startsWith(one + "/");
    }
}
