package dev.slate.standalone;

import dev.slate.controlplane.runtime.local.LocalCleanup;
import java.io.IOException;
import java.nio.file.Path;

/** Removes the processes, mounts, networks and cgroups that a killed platform left behind. */
final class Cleanup {
    private Cleanup() {}

    static void run(Path home) throws IOException {
        new LocalCleanup(home).run();
        EmbeddedDatabase.stopLeftover(home);
    }
}
