package dev.slate.tree.layer;

import dev.slate.tree.Attributes;
import dev.slate.tree.Below;
import dev.slate.tree.BodySource;
import dev.slate.tree.Change;
import dev.slate.tree.Changes;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.TreeException;
import dev.slate.tree.TreePath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes changes as an OCI layer; equal changes give equal bytes.
 *
 * <p>Sorted, numeric owners, whole seconds, no time later than the given one, removals before their siblings, the
 * first name of an inode as the file and the others as links. Confined to one thread, for one layer.
 */
public final class LayerWriter {
    static final String WHITEOUT = ".wh.";

    private final TarWriter tar;
    private final BodySource bodies;
    private final Instant latest;
    private final Map<Long, TreePath> firstNames = new HashMap<>();

    private LayerWriter(TarWriter tar, BodySource bodies, Instant latest) {
        this.tar = tar;
        this.bodies = bodies;
        this.latest = latest.truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Writes one layer to the stream, which stays open.
     *
     * @param changes without hidden and moved directories, see {@link Changes#withExplicitDeletes}
     * @param latest later times of modification become this one
     */
    public static Layer write(
            Changes changes, BodySource bodies, Instant latest, Compression compression, OutputStream out)
            throws IOException {
        var blob = new CountingOutputStream(out);
        var blobDigest = new DigestOutputStream(blob, Digest.sha256());
        var packed = compression.compress(blobDigest);
        var tarDigest = new DigestOutputStream(packed, Digest.sha256());
        try (packed) {
            var tar = new TarWriter(tarDigest);
            var writer = new LayerWriter(tar, bodies, latest);
            for (var change : sorted(changes.list())) {
                writer.write(change);
            }
            tar.finish();
            tarDigest.flush();
        }
        return new Layer(
                Digest.of(tarDigest.getMessageDigest()),
                Digest.of(blobDigest.getMessageDigest()),
                blob.count(),
                compression);
    }

    /** Parents first; in each directory the removals first. */
    private static List<Change> sorted(List<Change> changes) {
        var sorted = new ArrayList<>(changes);
        sorted.sort(Comparator.comparing(LayerWriter::sortKey).thenComparing(Change::path));
        return sorted;
    }

    private static SortKey sortKey(Change change) {
        var path = change.path();
        var parent = path.parent().orElse(TreePath.ROOT).value().replace('/', '\0');
        boolean removal = change instanceof Change.Delete;
        return new SortKey(path.isRoot() ? "" : parent + (removal ? "\0\0" : "\0") + path.name());
    }

    private record SortKey(String text) implements Comparable<SortKey> {
        @Override
        public int compareTo(SortKey other) {
            return Arrays.compareUnsigned(
                    text.getBytes(StandardCharsets.UTF_8), other.text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void write(Change change) throws IOException {
        var path = change.path();
        if (path.name().startsWith(WHITEOUT)) {
            throw new TreeException("layer: " + path + " (expected: no name that starts with .wh.)");
        }
        switch (change) {
            case Change.Delete _ -> delete(path);
            case Change.PutDirectory put -> directory(put);
            case Change.Put put -> put(put);
        }
    }

    private void delete(TreePath path) throws IOException {
        var name = path.parent().orElseThrow().child(WHITEOUT + path.name());
        tar.write(entry(TarEntry.Type.FILE, name.value(), "", 0, Attributes.of(0, Instant.EPOCH)));
    }

    private void directory(Change.PutDirectory put) throws IOException {
        if (!(put.below() instanceof Below.Same)) {
            throw new TreeException(
                    "layer: " + put.path() + " hides or moves lower files (expected: explicit deletes)");
        }
        var name = put.path().isRoot() ? "./" : put.path().value() + "/";
        tar.write(entry(TarEntry.Type.DIRECTORY, name, "", 0, put.entry().attributes()));
    }

    private void put(Change.Put put) throws IOException {
        var name = put.path().value();
        switch (put.entry()) {
            case Entry.Symlink link ->
                tar.write(entry(TarEntry.Type.SYMLINK, name, link.target(), 0, link.attributes()));
            case Entry.File file -> {
                var first = put.linkGroup() == 0
                        ? put.path()
                        : firstNames.computeIfAbsent(put.linkGroup(), _ -> put.path());
                if (!first.equals(put.path())) {
                    tar.write(entry(TarEntry.Type.HARD_LINK, name, first.value(), 0, file.attributes()));
                    return;
                }
                tar.write(entry(TarEntry.Type.FILE, name, "", file.size(), file.attributes()));
                try (var body = bodies.open(put.path(), file)) {
                    tar.body(body, file.size(), name);
                }
            }
            case Entry.Directory _ -> throw new TreeException("layer: " + name + " is a directory");
        }
    }

    private TarEntry entry(TarEntry.Type type, String name, String link, long size, Attributes attributes) {
        var modified = attributes.modified().truncatedTo(ChronoUnit.SECONDS);
        return new TarEntry(
                type,
                name,
                link,
                attributes.mode(),
                Integer.toUnsignedLong(attributes.uid()),
                Integer.toUnsignedLong(attributes.gid()),
                size,
                modified.isAfter(latest) ? latest : modified,
                0,
                0,
                type == TarEntry.Type.HARD_LINK ? new TreeMap<>() : attributes.xattrs());
    }
}
