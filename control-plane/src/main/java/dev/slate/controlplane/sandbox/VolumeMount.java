package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;

/** A volume at a path. Version 0 is the latest, whose writes are committed at the end; others are private copies. */
public record VolumeMount(String volume, long version, String path) {
    public VolumeMount {
        if (volume.isEmpty()) {
            throw PlatformException.invalid("volume", volume, "the name of a volume");
        }
        if (version < 0) {
            throw PlatformException.invalid("volume version", version, "0 for the latest, or a version number");
        }
        SandboxPaths.requireMountable(path);
    }

    /** Whether writes are committed when the sandbox ends. */
    boolean commits() {
        return version == 0;
    }
}
