package dev.slate.image.layout;

import dev.slate.image.config.ImageFolders;
import dev.slate.tree.Attributes;
import dev.slate.tree.Entry;
import dev.slate.tree.Lower;
import dev.slate.tree.Mounts;
import dev.slate.tree.TreePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Some layers as one read-only tree, for as long as it is open. */
public final class LowerView implements AutoCloseable {
    private static final Lower NOTHING = new Lower() {
        @Override
        public Optional<Entry> find(TreePath path) {
            return path.isRoot()
                    ? Optional.of(new Entry.Directory(Attributes.of(0755, Instant.EPOCH)))
                    : Optional.empty();
        }

        @Override
        public List<String> names(TreePath directory) {
            return List.of();
        }
    };

    private final Lower lower;
    private final ImageFolders folders;
    private final Optional<Path> mounted;

    private LowerView(Lower lower, ImageFolders folders, Optional<Path> mounted) {
        this.lower = lower;
        this.folders = folders;
        this.mounted = mounted;
    }

    /** Shows the layers, the topmost first. */
    public static LowerView of(ImageFolders folders, List<Path> layers) {
        if (layers.isEmpty()) {
            return new LowerView(NOTHING, folders, Optional.empty());
        }
        if (layers.size() == 1) {
            return new LowerView(Lower.directory(layers.getFirst()), folders, Optional.empty());
        }
        Path mounted = folders.unfinishedFolder();
        try {
            Mounts.layers(layers, mounted);
        } catch (IOException e) {
            folders.discard(mounted);
            throw new UncheckedIOException("view of layers", e);
        }
        return new LowerView(Lower.directory(mounted), folders, Optional.of(mounted));
    }

    public Lower lower() {
        return lower;
    }

    @Override
    public void close() {
        mounted.ifPresent(target -> {
            try {
                Mounts.unmount(target);
            } catch (IOException e) {
                throw new UncheckedIOException("view of layers", e);
            }
            folders.discard(target);
        });
    }
}
