package dev.slate.volume.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;

/** A name for a version that can move. */
@Entity(name = "VolumeRef")
@Table(name = "volume_ref")
class RefRow {
    static final String MAIN = "main";

    @EmbeddedId
    Key key = new Key("", "");

    @Column(nullable = false)
    long version;

    /** Ref names are unique in a volume. */
    @Embeddable
    record Key(
            @Column(name = "volume_id", nullable = false) String volumeId,
            @Column(nullable = false) String name) {}

    static RefRow of(String volumeId, String name, long version) {
        RefRow row = new RefRow();
        row.key = new Key(volumeId, name);
        row.version = version;
        return row;
    }
}
