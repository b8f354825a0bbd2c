package dev.slate.volume.api;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.id.IdSource;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeName;
import dev.slate.volume.catalog.VolumeStore;
import dev.slate.volume.commit.VersionTrees;
import jakarta.inject.Singleton;
import java.time.Clock;

/** Creates, finds and deletes volumes and looks into their versions. Thread-safe. */
@Singleton
class VolumeCatalog {
    private final VolumeStore volumes;
    private final VersionTrees trees;
    private final IdSource ids;
    private final Clock clock;

    VolumeCatalog(VolumeStore volumes, VersionTrees trees, IdSource ids, Clock clock) {
        this.volumes = volumes;
        this.trees = trees;
        this.ids = ids;
        this.clock = clock;
    }

    Volume create(String environment, VolumeName name, boolean ifNotExists) {
        Volume volume = new Volume(ids.uuid(), environment, name, 0, clock.instant());
        if (volumes.create(volume)) {
            return volume;
        }
        if (ifNotExists) {
            return find(environment, name);
        }
        throw new PlatformException(ErrorCode.ALREADY_EXISTS, "volume " + name + " exists already");
    }

    Volume find(String environment, VolumeName name) {
        return volumes.find(environment, name).orElseThrow(() -> PlatformException.notFound("volume", name.value()));
    }

    void delete(String environment, VolumeName name) {
        if (!volumes.delete(environment, name, clock.instant())) {
            throw PlatformException.notFound("volume", name.value());
        }
    }

    /** The tree of a version; number 0 is the latest. */
    Tree tree(Volume volume, long number) {
        return trees.of(volume.environment(), volume.id(), number == 0 ? volume.latest() : number);
    }

    Entry.File file(Volume volume, long number, TreePath path) {
        Entry entry =
                tree(volume, number).find(path).orElseThrow(() -> PlatformException.notFound("file", path.value()));
        if (entry instanceof Entry.File file) {
            return file;
        }
        throw new PlatformException(ErrorCode.FAILED_PRECONDITION, path + " is not a file");
    }
}
