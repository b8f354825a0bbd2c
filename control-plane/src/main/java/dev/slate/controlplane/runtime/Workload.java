package dev.slate.controlplane.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a runtime needs to start a sandbox. It holds no value of a secret and no variable of the user: commands get
 * those one by one.
 */
public record Workload(
        SandboxId id,
        SandboxRuntime.SandboxNetwork network,
        String hostname,
        ImageLayers image,
        List<Volume> volumes,
        Map<String, Path> files,
        Resources resources,
        String workdir) {
    public Workload {
        volumes = List.copyOf(volumes);
        files = Map.copyOf(files);
    }

    /** Directories of this node that make up the root file system, topmost first. */
    public record ImageLayers(String digest, List<Path> directories) {
        public ImageLayers {
            directories = List.copyOf(directories);
        }
    }

    /** A directory of this node that the sandbox sees, writable, at a path. */
    public record Volume(Path directory, String path) {}
}
