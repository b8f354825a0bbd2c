package dev.slate.controlplane.exec;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of the records of commands. */
@ConfigMapping(prefix = "slate.exec")
interface ExecConfig {
    /** How often sandboxes are asked for ends of commands that no client follows. */
    @WithDefault("2s")
    Duration sweep();

    /** How many ended commands of a sandbox are remembered. */
    @WithDefault("10000")
    int keptPerSandbox();

    /** How long the commands of a sandbox are remembered after its end. */
    @WithDefault("7d")
    Duration keptAfterEnd();

    /** How often records that are not to be remembered any more are removed. */
    @WithDefault("10m")
    Duration pruneInterval();
}
