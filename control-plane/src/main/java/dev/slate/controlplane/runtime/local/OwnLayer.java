package dev.slate.controlplane.runtime.local;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * The topmost layer of a sandbox's root: name resolution, trust, the agent, and the folders that volumes are mounted
 * on. A folder that the image has keeps its owner and mode. Confined to one thread.
 */
final class OwnLayer {
    private static final int PERMISSIONS = 07777;

    private final Path layer;
    private final List<Path> image;

    OwnLayer(Path layer, List<Path> image) {
        this.layer = layer;
        this.image = List.copyOf(image);
    }

    /** Writes a small file with these permissions, replacing the image's. */
    void write(String path, String content, String permissions) throws IOException {
        Path file = place(path);
        Files.deleteIfExists(file);
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    /** Makes a file of this machine visible, without a copy where that works. */
    void link(String path, Path source) throws IOException {
        Path file = place(path);
        Files.deleteIfExists(file);
        try {
            Files.createLink(file, source);
        } catch (IOException | UnsupportedOperationException _) {
            Files.copy(source, file);
        }
    }

    /** Makes a folder with its parents. */
    void folder(String path) throws IOException {
        StringBuilder parent = new StringBuilder();
        for (String part : path.substring(1).split("/", -1)) {
            parent.append('/').append(part);
            if (!parent.toString().equals("/")) {
                folderAt(parent.toString());
            }
        }
    }

    /** Whether the image has a regular file at a path. */
    boolean imageHasFile(String path) {
        return inImage(path).filter(Files::isRegularFile).isPresent();
    }

    private void folderAt(String path) throws IOException {
        Path folder = inside(path);
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Optional<Path> below = inImage(path);
        if (below.isPresent() && !Files.isDirectory(below.get(), LinkOption.NOFOLLOW_LINKS)) {
            throw new PlatformException(
                    ErrorCode.FAILED_PRECONDITION,
                    "path: %s is not a folder in the image (expected: a folder, or nothing)".formatted(path));
        }
        Files.createDirectory(folder);
        if (below.isEmpty()) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            return;
        }
        for (String attribute : List.of("unix:uid", "unix:gid")) {
            Files.setAttribute(folder, attribute, Files.getAttribute(below.get(), attribute));
        }
        int mode = (int) Files.getAttribute(below.get(), "unix:mode");
        Files.setAttribute(folder, "unix:mode", mode & PERMISSIONS);
    }

    /** The place of a path in this layer; a path that leads out of it is refused, wherever it comes from. */
    private Path inside(String path) throws IOException {
        Path place = layer.resolve(path.substring(1));
        if (!place.startsWith(layer) || !place.normalize().equals(place)) {
            throw new IOException("path: " + path + " (expected: an absolute path without . and .. parts)");
        }
        return place;
    }

    private Path place(String path) throws IOException {
        int slash = path.lastIndexOf('/');
        if (slash > 0) {
            folder(path.substring(0, slash));
        }
        return inside(path);
    }

    /** What the image has at a path; a whiteout hides what is in the layers below it. */
    private Optional<Path> inImage(String path) {
        for (Path directory : image) {
            Path candidate = directory.resolve(path.substring(1));
            if (Files.exists(candidate, LinkOption.NOFOLLOW_LINKS)) {
                boolean whiteout = !Files.isDirectory(candidate, LinkOption.NOFOLLOW_LINKS)
                        && !Files.isRegularFile(candidate, LinkOption.NOFOLLOW_LINKS)
                        && !Files.isSymbolicLink(candidate);
                return whiteout ? Optional.empty() : Optional.of(candidate);
            }
        }
        return Optional.empty();
    }
}
