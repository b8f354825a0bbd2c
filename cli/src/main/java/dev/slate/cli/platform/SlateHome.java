package dev.slate.cli.platform;

import dev.slate.cli.common.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The folder that holds all state of one install. */
record SlateHome(Path path, boolean isDefault) {

    private static final String DEFAULT = "/var/lib/slate";

    static SlateHome of(Map<String, String> environment) {
        var configured = environment.getOrDefault("SLATE_HOME", "");
        var path = Path.of(configured.isEmpty() ? DEFAULT : configured)
                .toAbsolutePath()
                .normalize();
        return new SlateHome(path, configured.isEmpty() || path.equals(Path.of(DEFAULT)));
    }

    Path log() {
        return path.resolve("log/platform.log");
    }

    Path processFile() {
        return path.resolve("run/platform.pid");
    }

    Path upLock() {
        return path.resolve("run/up.lock");
    }

    Path temporary() {
        return path.resolve("tmp");
    }

    /** Tells clients where this install listens. */
    Path endpointFile() {
        return path.resolve("endpoint");
    }

    Path ownerToken() {
        return path.resolve("owner-token");
    }

    boolean exists() {
        return Files.isDirectory(path);
    }

    Optional<String> endpoint() {
        return read(endpointFile());
    }

    void create() {
        try {
            Files.createDirectories(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.createDirectories(log().getParent());
            Files.createDirectories(processFile().getParent());
            Files.createDirectories(temporary());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make " + path, e);
        }
    }

    /** Removes everything, once it is sure that this is an install and no other folder. */
    void purge() {
        if (!exists()) {
            return;
        }
        if (path.getNameCount() < 2 || !Files.exists(processFile().getParent()) || !Files.exists(log().getParent())) {
            throw new CommandFailure(
                    "home: " + path + " (expected: a folder that `slate up` made; nothing was removed)");
        }
        try (Stream<Path> entries = Files.walk(path)) {
            for (var entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + path, e);
        }
    }

    static Optional<String> read(Path file) {
        try {
            return Files.isReadable(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
