package dev.slate.volume.catalog;

import dev.slate.common.grpc.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps volumes, versions and refs. */
public interface VolumeStore {
    /** Adds a volume without versions; false when a live one has the name. */
    boolean create(Volume volume);

    Optional<Volume> find(String environment, VolumeName name);

    /** Live volumes in the order of their names. */
    List<Volume> list(String environment, PageRequest page);

    /** Frees the name and refuses every later append; false when there is none. */
    boolean delete(String environment, VolumeName name, Instant now);

    /** Also of a deleted volume, whose mounts go on. */
    Optional<Version> version(String volumeId, long number);

    /** Versions below a number, newest first. */
    List<Version> versions(String volumeId, long below, int limit);

    /** The version that a ref names. */
    Optional<Long> ref(String volumeId, String name);

    /** The commit point: one compare-and-swap on ref main, in one transaction with the new number. */
    Append append(NewVersion version);

    /** What an earlier append under this id made. */
    Optional<Append.Repeated> commit(String volumeId, String commitId);
}
