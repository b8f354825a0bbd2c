package dev.slate.image.base;

import dev.slate.image.config.ImageFolders;
import dev.slate.image.layout.Images;
import dev.slate.image.layout.LayerBlobs;
import dev.slate.image.layout.OciLayout;
import dev.slate.image.layout.StoredImage;
import dev.slate.tree.Digest;
import dev.slate.tree.layer.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;

/** A Debian base that is made once and then kept below {@code target}, whatever test asks first. */
public final class TestBase {
    private static final Path CACHE = Path.of("target", "debian-slim").toAbsolutePath();

    private TestBase() {}

    /** The layers of the base, with their blobs in the given layout. */
    public static List<Layer> layers(OciLayout layout, Images images) {
        StoredImage base = made();
        OciLayout cached = new OciLayout(new ImageFolders(CACHE));
        for (Layer layer : base.layers()) {
            link(cached.path(layer.digest()), layout.path(layer.digest()));
        }
        return images.write(base.layers(), base.config(), "base").layers();
    }

    /** The base in its cache. */
    public static StoredImage made() {
        ImageFolders folders = new ImageFolders(CACHE);
        Images images = new Images(new OciLayout(folders));
        DebianSlim debianSlim = debianSlim(folders, images);
        Path name = CACHE.resolve(Digest.parse(debianSlim.key()).hex());
        try (FileChannel lock =
                        FileChannel.open(CACHE.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = lock.lock()) {
            if (!Files.exists(name)) {
                StoredImage made = debianSlim.make(_ -> {});
                Files.writeString(name, made.digest().toString());
            }
            return images.read(Digest.parse(Files.readString(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A maker of bases in a folder of its own. */
    static DebianSlim debianSlim(ImageFolders folders, Images images) {
        DebianArchive archive = new DebianArchive(new AptSources(Path.of("/")).linesFor(DebianArchive.SUITE));
        LayerBlobs blobs = new LayerBlobs(new OciLayout(folders));
        return new DebianSlim(archive, new Bootstrap(folders), folders, blobs, images, Clock.systemUTC());
    }

    private static void link(Path existing, Path link) {
        try {
            Files.createLink(link, existing);
        } catch (IOException | UnsupportedOperationException _) {
            try {
                Files.copy(existing, link, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
