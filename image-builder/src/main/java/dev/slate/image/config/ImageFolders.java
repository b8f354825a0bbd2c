package dev.slate.image.config;

import dev.slate.common.config.HomeConfig;
import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.Posix;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The folders of the image builder, all on one file system, so that finished things are published by a rename. */
@Singleton
public class ImageFolders {
    private final Path root;

    @Inject
    ImageFolders(HomeConfig config) {
        this(config.home().toAbsolutePath().normalize());
    }

    /** The folders below the home of an install; they are made. */
    public ImageFolders(Path home) {
        root = home.resolve("images");
        try {
            Files.createDirectories(oci().resolve("blobs/sha256"));
            // Images hold programs with the setuid bit: no user of this host may reach them.
            Posix.chmod(root, 0700);
            for (Path folder : new Path[] {layers(), work(), logs(), uploads()}) {
                Files.createDirectories(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("folders of the image builder", e);
        }
    }

    /** The OCI layout. */
    public Path oci() {
        return root.resolve("oci");
    }

    /** Unpacked layers; a short name, because overlay options name all layers in one string. */
    public Path layers() {
        return root.resolve("l");
    }

    /** What is not finished; emptied at start. */
    public Path work() {
        return root.resolve("work");
    }

    /** Output of builds. */
    public Path logs() {
        return root.resolve("builds");
    }

    /** Files that came from users. */
    public Path uploads() {
        return root.resolve("files");
    }

    /** A path below the work folder that nobody else uses; nothing is there yet. */
    public Path unfinished() {
        return work().resolve(UUID.randomUUID().toString());
    }

    /** Makes an empty folder below the work folder. */
    public Path unfinishedFolder() {
        try {
            return Files.createDirectory(unfinished());
        } catch (IOException e) {
            throw new UncheckedIOException("work folder", e);
        }
    }

    /** Removes something unfinished; nothing there is fine. */
    public void discard(Path unfinished) {
        try {
            Directory.deleteTree(unfinished);
        } catch (IOException e) {
            throw new UncheckedIOException("remove " + unfinished, e);
        }
    }
}
