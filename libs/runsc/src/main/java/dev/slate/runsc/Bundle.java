package dev.slate.runsc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of one container: its {@code config.json}, its logs, and its read-only mounts.
 *
 * <p>A mount that a container must not write to is made read-only on the host too. gVisor's own flag is not enough: with
 * {@code directfs}, opening a file with {@code O_TRUNC} is refused inside but still empties the file on the host.
 */
record Bundle(Path folder) {

    boolean exists() {
        return Files.exists(folder);
    }

    void write(ContainerSpec spec) throws IOException {
        Files.createDirectory(folder);
        List<BindMount> mounts = new ArrayList<>();
        for (BindMount mount : spec.mounts()) {
            mounts.add(mount.readOnly() ? readOnlyOnHost(mount, mounts.size()) : mount);
        }
        Files.write(folder.resolve("config.json"), OciConfig.render(spec, mounts));
    }

    /** Takes the mounts off and deletes the folder; repeatable. What was mounted is never touched. */
    void remove() {
        if (!exists()) {
            return;
        }
        Mounts.below(folder).forEach(Mounts::unmount);
        try (Stream<Path> children = Files.list(folder)) {
            for (Path child : children.toList()) {
                Files.delete(child);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    private BindMount readOnlyOnHost(BindMount mount, int number) throws IOException {
        Path place = folder.resolve("read-only-" + number);
        if (Files.isDirectory(mount.source())) {
            Files.createDirectory(place);
        } else {
            Files.createFile(place);
        }
        Mounts.bind(mount.source(), place, true);
        return BindMount.readOnly(place, mount.target());
    }
}
