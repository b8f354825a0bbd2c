package dev.slate.image.step;

import dev.slate.image.config.ImageFolders;
import dev.slate.tree.Mounts;
import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Layers with a fresh writable folder on top, for one step. Confined to one thread. */
final class StepRoot implements AutoCloseable {
    private final ImageFolders folders;
    private final Path folder;

    private StepRoot(ImageFolders folders, Path folder) {
        this.folders = folders;
        this.folder = folder;
    }

    /** Mounts the layers, the topmost first. */
    static StepRoot mount(ImageFolders folders, List<Path> lowers) {
        StepRoot root = new StepRoot(folders, folders.unfinishedFolder());
        try {
            for (Path part : List.of(root.upper(), root.root(), root.workFolder())) {
                Files.createDirectory(part);
            }
            // The overlay's root looks like the upper folder: without this each step would change the image's root.
            Stat below = Posix.stat(lowers.getFirst());
            Posix.chown(root.upper(), below.uid(), below.gid());
            Posix.chmod(root.upper(), below.mode());
            // A layer cannot say that a folder was renamed, so the kernel must not record it that way.
            Mounts.overlay(lowers, root.upper(), root.workFolder(), root.root(), Mounts.DirectoryRenames.OFF);
            return root;
        } catch (IOException e) {
            root.close();
            throw new UncheckedIOException("root of a step", e);
        } catch (RuntimeException e) {
            root.close();
            throw e;
        }
    }

    /** What the step sees. */
    Path root() {
        return folder.resolve("root");
    }

    /** What the step changed. */
    Path upper() {
        return folder.resolve("upper");
    }

    private Path workFolder() {
        return folder.resolve("work");
    }

    void unmount() {
        try {
            Mounts.unmount(root());
        } catch (IOException e) {
            throw new UncheckedIOException("root of a step", e);
        }
    }

    @Override
    public void close() {
        unmount();
        folders.discard(folder);
    }
}
