package dev.slate.image.base;

import dev.slate.image.config.ImageFolders;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerBlobs;
import dev.slate.image.layout.LowerView;
import dev.slate.image.layout.RuntimeConfig;
import dev.slate.image.layout.StoredImage;
import dev.slate.image.progress.Progress;
import dev.slate.tree.BodySink;
import dev.slate.tree.BodySource;
import dev.slate.tree.Changes;
import dev.slate.tree.OverlayScanner;
import dev.slate.tree.ScanLimits;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;

/** Makes the image of {@code debianSlim()} from Debian packages: one layer. */
@Singleton
class DebianSlim {
    private final DebianArchive archive;
    private final Bootstrap bootstrap;
    private final ImageFolders folders;
    private final LayerBlobs layers;
    private final Images images;
    private final Clock clock;

    DebianSlim(
            DebianArchive archive,
            Bootstrap bootstrap,
            ImageFolders folders,
            LayerBlobs layers,
            Images images,
            Clock clock) {
        this.archive = archive;
        this.bootstrap = bootstrap;
        this.folders = folders;
        this.layers = layers;
        this.images = images;
        this.clock = clock;
    }

    /** What the image depends on. */
    String key() {
        return archive.key();
    }

    /** Takes about a minute. */
    StoredImage make(Progress progress) {
        progress.phase("base: make debian-slim from Debian packages", 0, 0, false);
        Instant start = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        Path root = folders.unfinished();
        try {
            bootstrap.run(archive, root, progress);
            TidyRoot.tidy(root);
            Layer layer = layers.write(scan(root), BodySource.directory(root), start);
            TreeMap<String, String> env = new TreeMap<>();
            env.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
            RuntimeConfig config = new RuntimeConfig(env, "", List.of(), "");
            return images.write(List.of(layer), config, "debian-slim:" + DebianArchive.SUITE);
        } catch (IOException e) {
            throw new UncheckedIOException("make debian-slim", e);
        } finally {
            folders.discard(root);
        }
    }

    private Changes scan(Path root) throws IOException {
        Changes all = OverlayScanner.scan(root, BodySink.digestOnly(), ScanLimits.DEFAULT);
        try (LowerView nothing = LowerView.of(folders, List.of())) {
            return all.withoutNoOps(nothing.lower());
        }
    }
}
