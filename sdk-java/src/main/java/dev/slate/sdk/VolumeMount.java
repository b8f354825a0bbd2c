package dev.slate.sdk;

/**
 * A volume at a place in a sandbox; made by {@link VolumeSnapshot#mount(String)}.
 *
 * @param version 0 for the latest, which keeps what the sandbox writes; otherwise writes are dropped at its end
 * @param path absolute path in the sandbox
 */
public record VolumeMount(String volume, long version, String path) {

    public VolumeMount {
        if (!path.startsWith("/") || path.length() == 1) {
            throw new IllegalArgumentException("mount path: " + path + " (expected: an absolute path below /)");
        }
    }
}
