package dev.slate.runsc;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An overlay file system to be mounted.
 *
 * @param lowers read-only layers, the topmost first
 * @param bodies layers that only hold file contents, found through redirects in {@code lowers}
 * @param writable where changes go; without it the mount is read-only
 */
public record OverlayMount(List<Path> lowers, List<Path> bodies, Optional<Writable> writable) {

    /** The folder of the changes and an empty one beside it on the same file system. */
    public record Writable(Path upper, Path work) {}

    public OverlayMount {
        lowers = List.copyOf(lowers);
        bodies = List.copyOf(bodies);
        if (lowers.isEmpty()) {
            throw new IllegalArgumentException("overlay: no lower layer (expected: at least one)");
        }
    }

    public static OverlayMount readOnly(List<Path> lowers) {
        return new OverlayMount(lowers, List.of(), Optional.empty());
    }

    public static OverlayMount writable(List<Path> lowers, Path upper, Path work) {
        return new OverlayMount(lowers, List.of(), Optional.of(new Writable(upper, work)));
    }
}
