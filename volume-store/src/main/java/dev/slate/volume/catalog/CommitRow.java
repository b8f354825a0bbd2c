package dev.slate.volume.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;

/** What a commit id made, for the client that asks again. */
@Entity(name = "VolumeCommit")
@Table(name = "volume_commit")
class CommitRow {
    @EmbeddedId
    Key key = new Key("", "");

    @Column(nullable = false)
    String request = "";

    @Column(nullable = false)
    long version;

    /** Commit ids are made by clients, so they are unique in a volume only. */
    @Embeddable
    record Key(
            @Column(name = "volume_id", nullable = false) String volumeId,
            @Column(name = "commit_id", nullable = false) String commitId) {}

    static CommitRow of(NewVersion version, long number) {
        CommitRow row = new CommitRow();
        row.key = new Key(version.volumeId(), version.commitId());
        row.request = version.request().toString();
        row.version = number;
        return row;
    }
}
