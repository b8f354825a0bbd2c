package dev.slate.runsc;

import java.nio.file.Path;

/** A host file or folder that a container sees at {@code target}. */
public record BindMount(Path source, String target, boolean readOnly) {

    public BindMount {
        if (!source.isAbsolute()) {
            throw new IllegalArgumentException("mount source: " + source + " (expected: an absolute path)");
        }
        if (!target.startsWith("/")) {
            throw new IllegalArgumentException("mount target: " + target + " (expected: an absolute path)");
        }
    }

    public static BindMount readOnly(Path source, String target) {
        return new BindMount(source, target, true);
    }

    public static BindMount writable(Path source, String target) {
        return new BindMount(source, target, false);
    }
}
