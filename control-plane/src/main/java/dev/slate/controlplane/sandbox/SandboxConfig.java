package dev.slate.controlplane.sandbox;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of sandboxes. */
@ConfigMapping(prefix = "slate.sandbox")
public interface SandboxConfig {
    /** The longest lifetime that a sandbox may ask for. */
    @WithDefault("24h")
    Duration maxLifetime();

    /** How long the build of an image and the start may take before a sandbox that does not run yet is ended. */
    @WithDefault("1h")
    Duration startLimit();

    /** How long a call that ends a sandbox waits for the end. */
    @WithDefault("60s")
    Duration terminateLimit();

    /** How many sandboxes may be live on this machine. */
    @WithDefault("500")
    int maxLive();

    /** Leaves sandboxes running when the platform is shut down; the next start adopts them. */
    @WithDefault("false")
    boolean keepRunning();

    /** How long a shutdown waits for the sandboxes to end. */
    @WithDefault("30s")
    Duration shutdownLimit();

    /** How often what is past its time is looked for. */
    @WithDefault("500ms")
    Duration expirySweep();

    /** How often what belongs to no sandbox is looked for. */
    @WithDefault("60s")
    Duration leakSweep();
}
