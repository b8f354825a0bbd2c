package dev.slate.volume.catalog;

import dev.slate.tree.Digest;

/** What became of an attempt to append a version. */
public sealed interface Append {
    record Appended(Version version) implements Append {}

    /** Main names another version meanwhile. */
    record Moved(long head) implements Append {}

    /** This commit id was used before. */
    record Repeated(Digest request, Version version) implements Append {}

    /** The volume is deleted. */
    record Gone() implements Append {}
}
