package dev.slate.tree;

import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the upper directory of an overlay into a list of changes; costs nothing for what did not change.
 *
 * <p>The directory was written by untrusted code: no link is followed, and marks that our mounts do not use
 * (metadata-only copies) are refused. Nobody may write while the scan runs. Confined to one thread, for one scan.
 */
public final class OverlayScanner {
    private static final String OPAQUE = "trusted.overlay.opaque";
    private static final String REDIRECT = "trusted.overlay.redirect";
    private static final String METACOPY = "trusted.overlay.metacopy";

    private final BodySink bodies;
    private final ScanLimits limits;
    private final List<Change> changes = new ArrayList<>();
    private final List<Changes.Skipped> skipped = new ArrayList<>();

    private OverlayScanner(BodySink bodies, ScanLimits limits) {
        this.bodies = bodies;
        this.limits = limits;
    }

    public static Changes scan(Path upper, BodySink bodies, ScanLimits limits) throws IOException {
        var scanner = new OverlayScanner(bodies, limits);
        try (var directory = Directory.open(upper)) {
            var root = EntryReader.root(directory);
            scanner.changes.add(new Change.PutDirectory(TreePath.ROOT, root, new Below.Same()));
            scanner.children(directory, TreePath.ROOT, Optional.of(TreePath.ROOT), 1);
        }
        return new Changes(scanner.changes, scanner.skipped);
    }

    /** {@code lower} is where the lower children of this directory are, which differs from its path after a rename. */
    private void children(Directory directory, TreePath at, Optional<TreePath> lower, int depth) throws IOException {
        for (var name : directory.names()) {
            var path = at.child(name);
            limits.check(changes.size(), depth, path);
            var stat = Posix.stat(directory.child(name));
            if (stat.isWhiteout()) {
                changes.add(new Change.Delete(path));
                continue;
            }
            refuseMetacopy(directory, name, stat, path);
            var entry = EntryReader.read(directory, name, stat, bodies);
            if (entry.isEmpty()) {
                skipped.add(new Changes.Skipped(path, stat.kind().shown()));
                changes.add(new Change.Delete(path));
            } else if (entry.get() instanceof Entry.Directory child) {
                subdirectory(directory, path, child, lower, depth);
            } else {
                changes.add(new Change.Put(path, entry.get(), stat.links() > 1 ? stat.inode() : 0));
            }
        }
    }

    private void subdirectory(
            Directory parent, TreePath path, Entry.Directory entry, Optional<TreePath> parentLower, int depth)
            throws IOException {
        try (var directory = parent.open(path.name())) {
            var lower = lowerOf(directory, path, parentLower);
            var expected = parentLower.map(up -> up.child(path.name()));
            Below below;
            if (lower.isEmpty()) {
                below = new Below.Nothing();
            } else if (lower.equals(expected)) {
                below = new Below.Same();
            } else {
                below = new Below.MovedFrom(lower.get());
            }
            changes.add(new Change.PutDirectory(path, entry, below));
            children(directory, path, lower, depth + 1);
        }
    }

    private static Optional<TreePath> lowerOf(Directory directory, TreePath path, Optional<TreePath> parentLower)
            throws IOException {
        var opaque = Posix.xattr(directory.path(), OPAQUE);
        if (opaque.isPresent() && opaque.get().length == 1 && opaque.get()[0] == 'y') {
            return Optional.empty();
        }
        var redirect = Posix.xattr(directory.path(), REDIRECT).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
        if (redirect.isEmpty()) {
            return parentLower.map(up -> up.child(path.name()));
        }
        if (redirect.get().startsWith("/")) {
            return Optional.of(new TreePath(redirect.get().substring(1)));
        }
        return parentLower.map(up -> up.child(redirect.get()));
    }

    private static void refuseMetacopy(Directory directory, String name, Stat stat, TreePath path) throws IOException {
        if (stat.kind() == Stat.Kind.FILE
                && Posix.xattr(directory.child(name), METACOPY).isPresent()) {
            throw new TreeException("scan: " + path + " is a metadata-only copy (expected: mounts without metacopy)");
        }
    }
}
