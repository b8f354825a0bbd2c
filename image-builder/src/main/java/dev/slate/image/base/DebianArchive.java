package dev.slate.image.base;

import dev.slate.image.config.ImageConfig;
import dev.slate.image.recipe.Fingerprint;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** What {@code debianSlim()} is made of where no registry has it. */
@Singleton
class DebianArchive {
    static final String SUITE = "trixie";
    static final List<String> PACKAGES = List.of("ca-certificates", "python3");

    /** Rises when the same packages give another image than before. */
    private static final int ABI = 1;

    private final List<String> sources;

    @Inject
    DebianArchive(ImageConfig config) {
        this(config.mirror().map(DebianArchive::of).orElseGet(() -> new AptSources(Path.of("/")).linesFor(SUITE)));
    }

    DebianArchive(List<String> sources) {
        this.sources = List.copyOf(sources);
    }

    private static List<String> of(URI mirror) {
        return List.of("deb " + mirror + " " + SUITE + " main", "deb " + mirror + " " + SUITE + "-updates main");
    }

    /** Lines of a {@code sources.list}; none means the default of {@code mmdebstrap}. */
    List<String> sources() {
        return sources;
    }

    /** Names the image that would be made. */
    String key() {
        return new Fingerprint("debian")
                .add(ABI)
                .add(SUITE)
                .add(PACKAGES)
                .add(sources)
                .digest();
    }
}
