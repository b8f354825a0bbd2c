package dev.slate.image.config;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Settings of the image builder. */
@ConfigMapping(prefix = "slate.image")
public interface ImageConfig {
    /** Where {@code debianSlim()} comes from, as an OCI reference; without it, it is made from Debian packages. */
    Optional<String> debianSlimReference();

    /** The Debian mirror for {@code debianSlim()}; without it, the one that the apt of this host uses. */
    Optional<URI> mirror();

    /** How long a tag of a registry keeps its meaning before it is looked up again. */
    @WithDefault("10m")
    Duration tagLifetime();

    /** How long one step may run. */
    @WithDefault("30m")
    Duration stepTimeLimit();

    /** How much memory the commands of one step may use. */
    @WithDefault("4G")
    MemorySize stepMemory();

    /** The largest file that can be uploaded for a build. */
    @WithDefault("2G")
    MemorySize fileLimit();
}
