package dev.slate.common.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;

/** Where this install keeps its state. */
@ConfigMapping(prefix = "slate")
public interface HomeConfig {
    /** The folder that holds all state; nothing is written outside it. */
    @WithDefault("/var/lib/slate")
    Path home();
}
