package dev.slate.tree.layer;

import dev.slate.tree.Attributes;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.Lower;
import dev.slate.tree.TreeException;
import dev.slate.tree.TreePath;
import dev.slate.tree.posix.Directory;
import dev.slate.tree.posix.Posix;
import dev.slate.tree.posix.Stat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.time.Instant;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Unpacks a layer that anybody may have made into a directory that overlayfs takes as a lower layer.
 *
 * <p>Removals become whiteout devices and opaque marks. Owner, twelve mode bits, times, extended attributes, hard
 * links and device nodes are kept. Every name is resolved beneath the directory, one part at a time, and no link is
 * ever followed; what would leave the directory is refused with a {@link TreeException}, and then the directory holds
 * rubbish that the caller deletes. Needs root. Confined to one thread, for one layer.
 */
public final class LayerExtractor {
    private static final String OPAQUE_MARKER = ".wh..wh..opq";
    private static final String AUFS_PREFIX = ".wh..wh.";
    private static final String OPAQUE = "trusted.overlay.opaque";
    private static final String OVERLAY_XATTRS = "trusted.overlay.";
    private static final Attributes PLAIN_DIRECTORY = Attributes.of(0755, Instant.EPOCH);

    private final Path root;
    private final Lower lower;
    private final LayerLimits limits;
    private final Set<TreePath> removed = new HashSet<>();
    private final NavigableMap<TreePath, Instant> directoryTimes = new TreeMap<>();
    private long bytes;
    private int entries;

    private LayerExtractor(Path root, Lower lower, LayerLimits limits) {
        this.root = root;
        this.lower = lower;
        this.limits = limits;
    }

    /**
     * Unpacks a gzip, zstd or plain tar; the stream is read to its end and stays open.
     *
     * @param directory exists and is empty
     * @param lower the layers below, from which directories that the tar does not mention take their attributes
     * @return the digests of what was read, for the caller to compare before the directory is used
     */
    public static Layer extract(InputStream blob, Path directory, Lower lower, LayerLimits limits) throws IOException {
        var counted = new CountingInputStream(blob);
        var blobDigest = new DigestInputStream(counted, Digest.sha256());
        var unpacked = Compression.decompress(blobDigest);
        var tarDigest = new DigestInputStream(unpacked.stream(), Digest.sha256());
        var extractor = new LayerExtractor(directory, lower, limits);
        extractor.extract(new TarReader(tarDigest));
        extractor.drain(tarDigest);
        extractor.drain(blobDigest);
        return new Layer(
                Digest.of(tarDigest.getMessageDigest()),
                Digest.of(blobDigest.getMessageDigest()),
                counted.count(),
                unpacked.compression());
    }

    private void drain(InputStream rest) throws IOException {
        var buffer = new byte[65_536];
        for (int n = rest.read(buffer); n >= 0; n = rest.read(buffer)) {
            count(n);
        }
    }

    private void extract(TarReader tar) throws IOException {
        for (var entry = tar.next(); entry.isPresent(); entry = tar.next()) {
            if (++entries > limits.entries()) {
                throw new TreeException("layer: more than " + limits.entries() + " entries");
            }
            apply(entry.get(), tar);
        }
        for (var time : directoryTimes.descendingMap().entrySet()) {
            try (var directory = open(time.getKey())) {
                Posix.setModified(directory.path(), time.getValue());
            }
        }
    }

    private void apply(TarEntry entry, TarReader tar) throws IOException {
        var path = path(entry.name());
        if (path.isRoot()) {
            root(entry);
            return;
        }
        try (var parent = parent(path)) {
            var name = path.name();
            if (name.equals(OPAQUE_MARKER)) {
                makeOpaque(parent);
            } else if (name.startsWith(LayerWriter.WHITEOUT)) {
                remove(parent, path);
            } else {
                place(parent, path, entry, tar);
            }
        }
    }

    private void root(TarEntry entry) throws IOException {
        if (entry.type() != TarEntry.Type.DIRECTORY) {
            throw new TreeException("layer: the root is not a directory");
        }
        try (var directory = Directory.open(root)) {
            attributes(entry).apply(directory.path(), false);
        }
        directoryTimes.put(TreePath.ROOT, entry.modified());
    }

    private static TreePath path(String name) {
        var plain = name;
        while (plain.startsWith("./")) {
            plain = plain.substring(2);
        }
        while (plain.endsWith("/")) {
            plain = plain.substring(0, plain.length() - 1);
        }
        if (name.startsWith("/") && plain.isEmpty()) {
            throw new TreeException("layer: " + name + " (expected: a relative path)");
        }
        return plain.equals(".") ? TreePath.ROOT : new TreePath(plain);
    }

    /** Opens the directory that holds the path; makes what the layer did not mention. */
    private Directory parent(TreePath path) throws IOException {
        var directory = Directory.open(root);
        var at = TreePath.ROOT;
        try {
            for (var name : parts(path.parent().orElseThrow())) {
                at = at.child(name);
                var there = Posix.find(directory.child(name));
                if (there.isEmpty() || there.get().isWhiteout()) {
                    makeDirectory(directory, at, implied(at));
                } else if (there.get().kind() != Stat.Kind.DIRECTORY) {
                    throw new TreeException("layer: " + path + " leads through a "
                            + there.get().kind().shown());
                }
                var outer = directory;
                directory = outer.open(name);
                outer.close();
            }
            return directory;
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    private Attributes implied(TreePath path) throws IOException {
        var below = lower.find(path);
        if (below.isEmpty()) {
            return PLAIN_DIRECTORY;
        }
        if (below.get() instanceof Entry.Directory directory) {
            return directory.attributes();
        }
        throw new TreeException("layer: writes below " + path + ", which a lower layer has as something else");
    }

    private static String[] parts(TreePath path) {
        return path.isRoot() ? new String[0] : path.value().split("/", -1);
    }

    private Directory open(TreePath path) throws IOException {
        var directory = Directory.open(root);
        for (var name : parts(path)) {
            try (var outer = directory) {
                directory = outer.open(name);
            }
        }
        return directory;
    }

    private void makeDirectory(Directory parent, TreePath path, Attributes attributes) throws IOException {
        var target = parent.child(path.name());
        if (removed.contains(path)) {
            Files.deleteIfExists(target);
        }
        Posix.makeDirectory(target, 0700);
        try (var directory = parent.open(path.name())) {
            attributes.apply(directory.path(), false);
            if (removed.contains(path)) {
                makeOpaque(directory);
            }
        }
        directoryTimes.put(path, attributes.modified());
    }

    private static void makeOpaque(Directory directory) throws IOException {
        Posix.setXattr(directory.path(), OPAQUE, "y".getBytes(StandardCharsets.US_ASCII));
    }

    /** Removes the name of the layers below; what this layer itself puts there stays, wherever it stands in the tar. */
    private void remove(Directory parent, TreePath marker) throws IOException {
        if (marker.name().startsWith(AUFS_PREFIX)) {
            return;
        }
        var name = marker.name().substring(LayerWriter.WHITEOUT.length());
        var path = marker.parent().orElseThrow().child(name);
        removed.add(path);
        var there = Posix.find(parent.child(name));
        if (there.isEmpty()) {
            Posix.makeWhiteout(parent.child(name));
        } else if (there.get().kind() == Stat.Kind.DIRECTORY) {
            try (var directory = parent.open(name)) {
                makeOpaque(directory);
            }
        }
    }

    private void place(Directory parent, TreePath path, TarEntry entry, TarReader tar) throws IOException {
        var target = parent.child(path.name());
        var there = Posix.find(target);
        if (entry.type() == TarEntry.Type.DIRECTORY) {
            directory(parent, path, entry, there.isPresent() && there.get().kind() == Stat.Kind.DIRECTORY);
            return;
        }
        if (there.isPresent()) {
            clear(path, target);
        }
        switch (entry.type()) {
            case FILE -> file(target, tar);
            case SYMLINK -> Posix.symlink(entry.link(), target);
            case HARD_LINK -> {
                hardLink(entry, target);
                return;
            }
            case CHARACTER_DEVICE, BLOCK_DEVICE, FIFO -> node(entry, target);
            case DIRECTORY -> throw new IllegalStateException("handled above");
        }
        attributes(entry).apply(target, entry.type() == TarEntry.Type.SYMLINK);
    }

    private void directory(Directory parent, TreePath path, TarEntry entry, boolean exists) throws IOException {
        if (!exists) {
            clear(path, parent.child(path.name()));
            makeDirectory(parent, path, attributes(entry));
            return;
        }
        try (var directory = parent.open(path.name())) {
            attributes(entry).apply(directory.path(), false);
        }
        directoryTimes.put(path, entry.modified());
    }

    private void clear(TreePath path, Path target) throws IOException {
        Directory.deleteTree(target);
        directoryTimes.remove(path);
        directoryTimes.keySet().removeIf(other -> other.isBelow(path));
    }

    private void file(Path target, TarReader tar) throws IOException {
        try (var out = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            var body = tar.body();
            var buffer = new byte[65_536];
            for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
                count(n);
                out.write(buffer, 0, n);
            }
        }
    }

    private void count(int read) {
        bytes += read;
        if (bytes > limits.bytes()) {
            throw new TreeException("layer: more than " + limits.bytes() + " bytes");
        }
    }

    private void hardLink(TarEntry entry, Path target) throws IOException {
        var existing = path(entry.link());
        if (existing.isRoot()) {
            throw new TreeException("layer: " + entry.name() + " is a hard link to a directory");
        }
        try (var parent = open(existing.parent().orElseThrow())) {
            var source = parent.child(existing.name());
            var there = Posix.find(source);
            if (there.isEmpty() || there.get().isWhiteout() || there.get().kind() == Stat.Kind.DIRECTORY) {
                throw new TreeException("layer: " + entry.name() + " is a hard link to " + entry.link()
                        + " (expected: a file of the same layer)");
            }
            Posix.link(source, target);
        }
    }

    private static void node(TarEntry entry, Path target) throws IOException {
        var kind = switch (entry.type()) {
            case CHARACTER_DEVICE -> Stat.Kind.CHARACTER_DEVICE;
            case BLOCK_DEVICE -> Stat.Kind.BLOCK_DEVICE;
            default -> Stat.Kind.FIFO;
        };
        if (kind == Stat.Kind.CHARACTER_DEVICE && entry.deviceMajor() == 0 && entry.deviceMinor() == 0) {
            throw new TreeException("layer: " + entry.name() + " is an overlay whiteout (expected: an OCI one)");
        }
        Posix.makeNode(target, kind, 0600, entry.deviceMajor(), entry.deviceMinor());
    }

    private static Attributes attributes(TarEntry entry) {
        SortedMap<String, String> kept = new TreeMap<>();
        entry.xattrs().forEach((name, value) -> {
            if (name.startsWith(OVERLAY_XATTRS)) {
                throw new TreeException("layer: " + entry.name() + " carries " + name);
            }
            if (Attributes.isKept(name)) {
                kept.put(name, value);
            }
        });
        return new Attributes(entry.mode(), id(entry.uid()), id(entry.gid()), entry.modified(), kept);
    }

    private static int id(long id) {
        if (id < 0 || id >= 0xFFFF_FFFFL) {
            throw new TreeException("layer: owner " + id + " (expected: 0 to 4294967294)");
        }
        return (int) id;
    }
}
