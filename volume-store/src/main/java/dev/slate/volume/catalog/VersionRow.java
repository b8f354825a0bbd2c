package dev.slate.volume.catalog;

import dev.slate.tree.Digest;
import dev.slate.tree.TreePath;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A version; rows are written once and never changed. */
@Entity(name = "VolumeVersion")
@Table(name = "volume_version")
class VersionRow {
    /** Stands between paths in one column: no path has an empty part. */
    private static final String SEPARATOR = "//";

    @EmbeddedId
    Key key = new Key("", 0);

    @Column(nullable = false)
    long parent;

    @Column(nullable = false)
    String tree = "";

    @Column(nullable = false)
    long files;

    @Column(nullable = false)
    long bytes;

    @Column(nullable = false)
    String author = "";

    @Column(nullable = false)
    String conflicts = "";

    @Column(name = "created_at", nullable = false)
    Instant createdAt = Instant.EPOCH;

    /** Numbers count from 1 in each volume. */
    @Embeddable
    record Key(
            @Column(name = "volume_id", nullable = false) String volumeId,
            @Column(nullable = false) long number) {}

    static VersionRow of(String volumeId, Version version) {
        VersionRow row = new VersionRow();
        row.key = new Key(volumeId, version.number());
        row.parent = version.parent();
        row.tree = version.tree().toString();
        row.files = version.files();
        row.bytes = version.bytes();
        row.author = version.author();
        row.conflicts = version.conflicts().stream().map(TreePath::value).collect(Collectors.joining(SEPARATOR));
        row.createdAt = version.createdAt();
        return row;
    }

    Version toVersion() {
        List<TreePath> paths = conflicts.isEmpty()
                ? List.of()
                : Arrays.stream(conflicts.split(SEPARATOR, -1))
                        .map(TreePath::new)
                        .toList();
        return new Version(key.number(), parent, Digest.parse(tree), files, bytes, author, paths, createdAt);
    }
}
