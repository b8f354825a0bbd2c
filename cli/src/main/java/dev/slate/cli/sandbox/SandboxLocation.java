package dev.slate.cli.sandbox;

import java.util.Optional;

/**
 * A path in a sandbox as people write it, {@code NAME:/path}.
 *
 * @param path absolute
 */
record SandboxLocation(String sandbox, String path) {

    /** Empty if the text means a local path: without a colon, or with a slash before it. */
    static Optional<SandboxLocation> parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 1 || text.lastIndexOf('/', colon) >= 0) {
            return Optional.empty();
        }
        var path = text.substring(colon + 1);
        return Optional.of(new SandboxLocation(text.substring(0, colon), path.startsWith("/") ? path : "/" + path));
    }

    /** The last part of the path. */
    String fileName() {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
