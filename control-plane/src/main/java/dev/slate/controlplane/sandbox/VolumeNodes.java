package dev.slate.controlplane.sandbox;

import dev.slate.controlplane.runtime.SandboxId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The node side of volumes as sandboxes need it. Thread-safe. */
interface VolumeNodes {
    /** Mounts a volume on this node; repeatable. */
    Path mount(Sandbox sandbox, VolumeMount volume);

    /** Unmounts and commits or drops; repeatable. Empty when there never was such a mount. */
    Optional<MountResult> seal(SandboxId sandbox, VolumeMount volume);

    /** What is mounted here. */
    List<Mounted> mounted();

    /** Unmounts and commits a mount that no sandbox knows. */
    void salvage(Mounted mount);

    /** A mount of this node. */
    record Mounted(String mountId, String sandbox) {}

    /** The id of a mount follows from sandbox and path, so that it is known before and after any crash. */
    static String mountId(SandboxId sandbox, VolumeMount volume) {
        return UUID.nameUUIDFromBytes((sandbox + ":" + volume.path()).getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
