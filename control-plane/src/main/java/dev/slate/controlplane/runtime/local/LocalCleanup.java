package dev.slate.controlplane.runtime.local;

import dev.slate.runsc.Cgroups;
import dev.slate.runsc.HostLayout;
import dev.slate.runsc.Mounts;
import dev.slate.runsc.Runsc;
import dev.slate.runsc.RunscBinary;
import dev.slate.runsc.RunscException;
import dev.slate.runsc.SandboxNetwork;
import java.nio.file.Path;

/**
 * Removes what a killed platform left on this machine: gVisor containers, networks, firewall rules, control groups and
 * mounts. What sandboxes wrote to volumes stays on disk, so that the next start commits it. Repeatable; needs nothing of
 * the platform, which must not run meanwhile.
 */
public final class LocalCleanup {
    private final HostLayout layout;

    public LocalCleanup(Path home) {
        this.layout = HostLayout.of(home);
    }

    /** Removes everything of this install from the kernel. */
    public void run() {
        endContainers();
        SandboxNetwork.tearDown(layout);
        new Cgroups(layout).removeAll();
        for (Path mounted : Mounts.below(layout.home())) {
            Mounts.unmount(mounted);
        }
    }

    private void endContainers() {
        Cgroups groups = new Cgroups(layout);
        groups.list().forEach(groups::kill);
        RunscBinary binary;
        try {
            binary = RunscBinary.find();
        } catch (RunscException _) {
            // Without it there never was a container.
            return;
        }
        Runsc runsc = Runsc.open(layout, binary);
        runsc.remains().forEach(runsc::destroy);
    }
}
