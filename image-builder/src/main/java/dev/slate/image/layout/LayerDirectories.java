package dev.slate.image.layout;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.image.config.ImageFolders;
import dev.slate.image.recipe.Fingerprint;
import dev.slate.tree.Digest;
import dev.slate.tree.TreeException;
import dev.slate.tree.layer.Layer;
import dev.slate.tree.layer.LayerExtractor;
import dev.slate.tree.layer.LayerLimits;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Layers as directories that overlay mounts take. A directory appears under its name only when it is complete and its
 * digests are right; it never changes then. Thread-safe: two callers that unpack the same layer both succeed.
 *
 * <p>A directory is named by its layer and all layers below: a layer need not say how the folders look that it puts
 * files into, so what it unpacks to depends on what is below.
 */
@Singleton
public class LayerDirectories {
    /** Overlay options name up to a hundred directories in one page; 80 bits cannot be met by chance or cheaply. */
    private static final int NAME_LENGTH = 20;

    private final ImageFolders folders;
    private final OciLayout layout;

    public LayerDirectories(ImageFolders folders, OciLayout layout) {
        this.folders = folders;
        this.layout = layout;
    }

    /** The directories of the layers, the topmost first; unpacks what is not there. */
    public List<Path> prepare(List<Layer> lowestFirst) {
        List<Path> topmostFirst = new ArrayList<>();
        String chain = "";
        for (Layer layer : lowestFirst) {
            chain = new Fingerprint("chain")
                    .add(chain)
                    .add(layer.diffId().hex())
                    .digest();
            String name = Digest.parse(chain).hex().substring(0, NAME_LENGTH);
            Path directory = folders.layers().resolve(name);
            if (!Files.exists(directory)) {
                unpack(layer, topmostFirst, directory);
            }
            topmostFirst.addFirst(directory);
        }
        return topmostFirst;
    }

    private void unpack(Layer layer, List<Path> below, Path target) {
        Path unfinished = folders.unfinishedFolder();
        try (LowerView lower = LowerView.of(folders, below);
                InputStream blob = Files.newInputStream(layout.path(layer.digest()))) {
            Layer read = LayerExtractor.extract(blob, unfinished, lower.lower(), LayerLimits.DEFAULT);
            check("layer id", layer.diffId(), read.diffId());
            check("layer blob", layer.digest(), read.digest());
            publish(unfinished, target);
        } catch (TreeException e) {
            throw new PlatformException(
                    ErrorCode.IMAGE_BUILD_FAILED, "layer " + layer.digest() + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("unpack layer " + layer.digest(), e);
        } finally {
            folders.discard(unfinished);
        }
    }

    private static void publish(Path unfinished, Path target) throws IOException {
        try {
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            if (!Files.isDirectory(target)) {
                throw e;
            }
        }
    }

    private static void check(String what, Digest expected, Digest actual) {
        if (!expected.equals(actual)) {
            throw new PlatformException(
                    ErrorCode.IMAGE_BUILD_FAILED, "%s: %s (expected: %s)".formatted(what, actual, expected));
        }
    }
}
