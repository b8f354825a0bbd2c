package dev.slate.image.base;

import dev.slate.image.config.ImageConfig;
import dev.slate.image.recipe.Fingerprint;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** What {@code debianSlim()} is made of where no registry has it. */
@Singleton
public class DebianArchive {
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

    /** Hosts of the mirrors, which an operator may keep on private addresses. */
    public Set<String> hosts() {
        return sources.stream()
                .flatMap(line -> Arrays.stream(line.split(" ", -1)))
                .filter(word -> word.contains("://"))
                .map(word -> URI.create(word).getHost())
                .filter(Objects::nonNull)
                .collect(Collectors.toUnmodifiableSet());
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
