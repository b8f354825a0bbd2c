package dev.slate.controlplane.runtime.local;

import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.runsc.ContainerId;
import dev.slate.runsc.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** What the runtime keeps on disk about one sandbox, and its mounted root. Confined to one thread at a time. */
record SandboxFolder(SandboxId id, Path path) {
    private static final String CONTAINER_PREFIX = "sandbox-";

    static SandboxFolder of(Path home, SandboxId id) {
        return new SandboxFolder(id, all(home).resolve(id.value()));
    }

    /** The folder of all sandboxes of an install. */
    static Path all(Path home) {
        return home.resolve("sandboxes");
    }

    /** The sandboxes that have a folder. */
    static List<SandboxId> ids(Path home) {
        if (!Files.isDirectory(all(home))) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(all(home))) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(SandboxId::isOne)
                    .map(SandboxId::new)
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The sandbox that a container is, as against one of the image builder. */
    static Optional<SandboxId> sandboxOf(ContainerId container) {
        String rest = container.value().startsWith(CONTAINER_PREFIX)
                ? container.value().substring(CONTAINER_PREFIX.length())
                : "";
        return SandboxId.isOne(rest) ? Optional.of(new SandboxId(rest)) : Optional.empty();
    }

    ContainerId container() {
        return new ContainerId(CONTAINER_PREFIX + id);
    }

    /** The layer above the image, with the files of the platform. */
    Path ownLayer() {
        return path.resolve("layer");
    }

    Path root() {
        return path.resolve("root");
    }

    /** Where the sandbox's own writes go, in a file without a name. */
    Path scratch() {
        return path.resolve("scratch");
    }

    OptionalInt slot() {
        return read("slot").map(Integer::parseInt).map(OptionalInt::of).orElse(OptionalInt.empty());
    }

    void writeSlot(int number) {
        write("slot", Integer.toString(number));
    }

    /** Its network is gone. */
    void forgetSlot() {
        try {
            Files.deleteIfExists(path.resolve("slot"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Optional<SecretValue> token() {
        return read("token").map(SecretValue::of);
    }

    void writeToken(String token) {
        write("token", token);
    }

    void make() throws IOException {
        for (Path folder : List.of(path, ownLayer(), root(), scratch())) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** Takes the root off, so that the layers below can be changed. */
    void unmount() {
        for (Path mounted : Mounts.below(path)) {
            Mounts.unmount(mounted);
        }
    }

    /** Removes everything; what is not there is fine. */
    void remove() {
        unmount();
        removeTree(path);
    }

    static void removeTree(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.toList().reversed()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot remove " + folder, failure);
        }
    }

    private Optional<String> read(String name) {
        Path file = path.resolve(name);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All or nothing, readable by the owner only. */
    private void write(String name, String value) {
        try {
            make();
            Path temporary = Files.createTempFile(path, ".new", "");
            Files.writeString(temporary, value);
            Files.move(temporary, path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
