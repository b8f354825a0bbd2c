package dev.slate.image.layout;

import dev.slate.tree.BodySource;
import dev.slate.tree.Change;
import dev.slate.tree.Changes;
import dev.slate.tree.Entry;
import dev.slate.tree.layer.Compression;
import dev.slate.tree.layer.Layer;
import dev.slate.tree.layer.LayerWriter;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Stores changes as the blob of a layer; equal changes give an equal layer. Thread-safe. */
@Singleton
public class LayerBlobs {
    /** The time of everything that a build itself made. Not earlier than 1980, which zip files cannot express. */
    public static final Instant BUILD_TIME = Instant.parse("2025-01-01T00:00:00Z");

    private static final Instant ANY_TIME = Instant.parse("9999-01-01T00:00:00Z");

    private final OciLayout layout;

    public LayerBlobs(OciLayout layout) {
        this.layout = layout;
    }

    /**
     * Writes the layer. Times since the given instant become {@link #BUILD_TIME}; older ones came out of packages and
     * archives and stay, because compiled Python modules name the time of their source.
     */
    public Layer write(Changes changes, BodySource bodies, Instant since) throws IOException {
        List<Change> stable = changes.list().stream()
                .map(change -> withStableTime(change, since))
                .toList();
        Changes written = new Changes(stable, changes.skipped());
        return layout.write(out -> LayerWriter.write(written, bodies, ANY_TIME, Compression.ZSTD, out), Layer::digest);
    }

    private static Change withStableTime(Change change, Instant since) {
        return switch (change) {
            case Change.Delete delete -> delete;
            case Change.PutDirectory(var path, var entry, var below)
            when isSince(entry, since) ->
                new Change.PutDirectory(
                        path, new Entry.Directory(entry.attributes().withModified(BUILD_TIME)), below);
            case Change.PutDirectory directory -> directory;
            case Change.Put(var path, var entry, var group)
            when isSince(entry, since) -> new Change.Put(path, withBuildTime(entry), group);
            case Change.Put put -> put;
        };
    }

    private static boolean isSince(Entry entry, Instant since) {
        return !entry.attributes().modified().isBefore(since);
    }

    private static Entry withBuildTime(Entry entry) {
        return switch (entry) {
            case Entry.File(var attributes, var size, var content) ->
                new Entry.File(attributes.withModified(BUILD_TIME), size, content);
            case Entry.Symlink(var attributes, var target) ->
                new Entry.Symlink(attributes.withModified(BUILD_TIME), target);
            case Entry.Directory(var attributes) -> new Entry.Directory(attributes.withModified(BUILD_TIME));
        };
    }
}
