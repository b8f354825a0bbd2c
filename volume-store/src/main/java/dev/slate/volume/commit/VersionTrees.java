package dev.slate.volume.commit;

import dev.slate.common.error.PlatformException;
import dev.slate.tree.Digest;
import dev.slate.tree.Tree;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.VolumeStore;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The trees of versions; version 0 is the empty one that every volume starts from. Thread-safe. */
@Singleton
public class VersionTrees {
    private final VolumeStore volumes;
    private final BodyStores bodies;

    public VersionTrees(VolumeStore volumes, BodyStores bodies) {
        this.volumes = volumes;
        this.bodies = bodies;
    }

    public Tree of(String environment, String volumeId, long number) {
        return number == 0 ? Tree.EMPTY : read(environment, digest(volumeId, number));
    }

    public Digest digest(String volumeId, long number) {
        if (number == 0) {
            return Tree.EMPTY.digest();
        }
        return volumes.version(volumeId, number)
                .orElseThrow(() -> PlatformException.notFound("version", Long.toString(number)))
                .tree();
    }

    /** Stores a tree; durable when this returns. */
    public Digest write(String environment, Tree tree) {
        try {
            return bodies.of(environment).put(tree.toBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Tree read(String environment, Digest digest) {
        try {
            return Tree.parse(bodies.of(environment).read(digest));
        } catch (IOException e) {
            throw new UncheckedIOException("tree " + digest, e);
        }
    }
}
