package dev.slate.controlplane.router;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Limits of the model gateway. */
@ConfigMapping(prefix = "slate.router")
interface RouterConfig {
    /** How long connecting to a provider may take. */
    @WithDefault("10s")
    Duration connectTimeout();

    /** How long a provider may take to answer; a long model call without streaming is silent until its end. */
    @WithDefault("10m")
    Duration firstByteTimeout();

    /** How long a provider may be silent in the middle of an answer, and a client may take nothing. */
    @WithDefault("5m")
    Duration idleTimeout();

    /** How long a provider may take to list its models. */
    @WithDefault("10s")
    Duration modelsTimeout();

    /** The largest request; images travel in it as text. */
    @WithDefault("32M")
    MemorySize maxRequestBody();

    /** The largest answer that does not stream, which is held in memory until it is complete. */
    @WithDefault("64M")
    MemorySize maxResponseBody();
}
