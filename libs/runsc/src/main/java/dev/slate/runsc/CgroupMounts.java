package dev.slate.runsc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the controllers of this host: version 1, version 2, or some of each. */
final class CgroupMounts {

    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private CgroupMounts() {}

    /** The controllers that limit what {@link ResourceLimits} knows; {@code cpuacct} counts for version 1. */
    static List<CgroupController> find() {
        try {
            return find(Files.readAllLines(MOUNTS));
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    static List<CgroupController> find(List<String> mounts) throws IOException {
        List<CgroupController> found = new ArrayList<>();
        for (String name : List.of("cpu", "cpuacct", "memory", "pids")) {
            find(name, mounts).ifPresent(found::add);
        }
        return found;
    }

    private static Optional<CgroupController> find(String name, List<String> mounts) throws IOException {
        for (String line : mounts) {
            String[] fields = line.split(" ", -1);
            if (fields.length < 4) {
                continue;
            }
            Path root = Path.of(fields[1]);
            if (fields[2].equals("cgroup") && List.of(fields[3].split(",", -1)).contains(name)) {
                return Optional.of(new CgroupController(name, root, false));
            }
            if (fields[2].equals("cgroup2") && offers(root, name)) {
                return Optional.of(new CgroupController(name, root, true));
            }
        }
        return Optional.empty();
    }

    private static boolean offers(Path root, String name) throws IOException {
        Path list = root.resolve("cgroup.controllers");
        return Files.isReadable(list)
                && List.of(Files.readString(list).strip().split(" ", -1)).contains(name);
    }
}
