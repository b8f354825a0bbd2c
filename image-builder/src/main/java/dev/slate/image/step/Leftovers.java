package dev.slate.image.step;

import dev.slate.image.config.ImageFolders;
import dev.slate.runsc.Mounts;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Clears away at start what builds of a killed process left: containers, mounts, unfinished files. */
@Singleton
class Leftovers {
    private final ImageFolders folders;
    private final StepSandbox sandbox;

    Leftovers(ImageFolders folders, StepSandbox sandbox) {
        this.folders = folders;
        this.sandbox = sandbox;
    }

    void atStart(@Observes StartupEvent event) {
        List<Path> unfinished = unfinished();
        if (unfinished.isEmpty()) {
            return;
        }
        sandbox.endLeftovers();
        Mounts.below(folders.work()).forEach(Mounts::unmount);
        unfinished.forEach(folders::discard);
    }

    private List<Path> unfinished() {
        try (Stream<Path> children = Files.list(folders.work())) {
            return children.toList();
        } catch (IOException e) {
            throw new UncheckedIOException("work folder", e);
        }
    }
}
