package dev.slate.volume.mount;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.Digest;
import dev.slate.tree.Mounts;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
import dev.slate.tree.posix.Directory;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeName;
import dev.slate.volume.catalog.VolumeStore;
import dev.slate.volume.commit.Commits;
import dev.slate.volume.commit.VersionTrees;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Mounts versions for sandboxes and turns what they wrote into new versions.
 *
 * <p>Each act is written to a journal on the disk first and can be repeated after a crash at any line: a mount and a
 * seal with the same id give the same answer, also in a later process. Kernel mounts outlive the process. Thread-safe.
 */
@Singleton
public class VolumeMounts {
    private static final Logger LOG = Logger.getLogger(VolumeMounts.class);
    private static final Duration ANSWERS_KEPT = Duration.ofDays(7);

    private final VolumeStore volumes;
    private final VersionTrees trees;
    private final Clock clock;
    private final MountJournal journal;
    private final CheckoutCache checkouts;
    private final UpperCommitter committer;
    private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    public VolumeMounts(VolumeStore volumes, VersionTrees trees, Commits commits, BodyStores bodies, Clock clock)
            throws IOException {
        this.volumes = volumes;
        this.trees = trees;
        this.clock = clock;
        this.journal = new MountJournal(mounts(bodies.home()));
        this.checkouts = new CheckoutCache(bodies);
        this.committer = new UpperCommitter(journal, trees, commits, bodies);
    }

    /** Where a sandbox finds its volume, and what is below. */
    record MountPoint(Path path, MountRecord record) {}

    /** A record, and whether the kernel has the mount. */
    record MountStatus(MountRecord record, boolean mounted) {}

    /** Unmounts everything of an install whose platform was killed; the journal keeps what is to be committed. */
    public static void unmountAll(Path slateHome) throws IOException {
        if (!Files.exists(slateHome)) {
            return;
        }
        Path mounts = mounts(slateHome.toRealPath().resolve("volumes"));
        for (Mounts.Mounted mounted : Mounts.list().reversed()) {
            if (mounted.target().startsWith(mounts)) {
                Mounts.unmount(mounted.target());
            }
        }
    }

    private static Path mounts(Path volumesHome) {
        return volumesHome.resolve("mounts");
    }

    /** Mounts a version, or the latest one for writing when the number is 0. */
    MountPoint mount(String mountId, String environment, VolumeName name, long version, String sandboxId) {
        return locked(mountId, () -> {
            MountRecord record = existing(mountId, environment, name)
                    .orElseGet(() -> begin(mountId, environment, name, version, sandboxId));
            return new MountPoint(mounted(record), record);
        });
    }

    private Optional<MountRecord> existing(String mountId, String environment, VolumeName name) throws IOException {
        Optional<MountRecord> record = journal.find(mountId);
        if (record.isPresent()) {
            MountRecord found = record.get();
            if (!found.environment().equals(environment) || !found.volume().equals(name.value())) {
                throw new PlatformException(
                        ErrorCode.IDEMPOTENCY_CONFLICT, "mount_id " + mountId + " was used for another volume");
            }
            if (found.state() != MountRecord.State.ACTIVE) {
                throw new PlatformException(ErrorCode.FAILED_PRECONDITION, "mount " + mountId + " is sealed");
            }
        }
        return record;
    }

    private MountRecord begin(String mountId, String environment, VolumeName name, long wanted, String sandboxId) {
        Volume volume =
                volumes.find(environment, name).orElseThrow(() -> PlatformException.notFound("volume", name.value()));
        long base = wanted == 0 ? volume.latest() : wanted;
        Digest tree = trees.digest(volume.id(), base);
        MountRecord record = new MountRecord(
                mountId,
                environment,
                volume.id(),
                name.value(),
                sandboxId,
                base,
                tree.toString(),
                wanted == 0,
                MountRecord.State.ACTIVE,
                false,
                Optional.empty());
        try {
            journal.save(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return record;
    }

    private Path mounted(MountRecord record) throws IOException {
        Path merged = Files.createDirectories(journal.merged(record.mountId()));
        if (Mounts.isMounted(merged)) {
            return merged;
        }
        Digest digest = Digest.parse(record.tree());
        Supplier<Tree> tree = () -> trees.of(record.environment(), record.volumeId(), record.base());
        Path lower = checkouts.acquire(record.environment(), digest, tree);
        try {
            Path upper = upper(record, tree);
            Path work = Files.createDirectories(journal.work(record.mountId()));
            Mounts.overlay(List.of(lower), upper, work, merged, Mounts.DirectoryRenames.ON);
            return merged;
        } catch (IOException | RuntimeException e) {
            checkouts.release(record.environment(), digest);
            throw e;
        }
    }

    /** The upper directory is the root that programs see, so it begins with the attributes of the version's root. */
    private Path upper(MountRecord record, Supplier<Tree> tree) throws IOException {
        Path upper = journal.upper(record.mountId());
        if (!Files.exists(upper)) {
            Path unfinished = upper.resolveSibling("upper.new");
            Directory.deleteTree(unfinished);
            Files.createDirectory(unfinished);
            tree.get().find(TreePath.ROOT).orElseThrow().attributes().apply(unfinished, false);
            Files.move(unfinished, upper, StandardCopyOption.ATOMIC_MOVE);
        }
        return upper;
    }

    /** Unmounts, then commits or drops what was written; the first call decides which. */
    SealResult seal(String mountId, boolean commit) {
        return locked(mountId, () -> {
            MountRecord record = journal.find(mountId).orElseThrow(() -> PlatformException.notFound("mount", mountId));
            if (record.state() == MountRecord.State.ACTIVE) {
                unmount(record);
                record = record.sealed(commit);
                journal.save(record);
            }
            if (record.state() == MountRecord.State.SEALED) {
                record = record.done(committer.finish(record));
                journal.save(record);
            }
            clear(record);
            locks.remove(mountId);
            return record.result().orElseThrow();
        });
    }

    private void unmount(MountRecord record) throws IOException {
        Path merged = journal.merged(record.mountId());
        boolean wasMounted = Mounts.isMounted(merged);
        Mounts.unmount(merged);
        if (wasMounted) {
            checkouts.release(record.environment(), Digest.parse(record.tree()));
        }
    }

    private void clear(MountRecord record) throws IOException {
        Directory.deleteTree(journal.upper(record.mountId()));
        Directory.deleteTree(journal.work(record.mountId()));
        Directory.deleteTree(journal.merged(record.mountId()));
    }

    /** The mounts that still need something. */
    List<MountStatus> list() {
        try {
            List<MountStatus> mounts = new ArrayList<>();
            List<Path> table =
                    Mounts.list().stream().map(Mounts.Mounted::target).toList();
            for (MountRecord record : journal.list()) {
                if (record.state() == MountRecord.State.DONE) {
                    continue;
                }
                mounts.add(new MountStatus(record, table.contains(journal.merged(record.mountId()))));
            }
            return mounts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Brings the mount table and the journal together at start: adopts live mounts, unmounts what no live record names,
     * and answers the ids of seals that were decided but not finished.
     */
    List<String> recover() {
        try {
            journal.forget(ANSWERS_KEPT, clock.instant());
            List<Path> live = new ArrayList<>();
            List<String> unfinished = new ArrayList<>();
            for (MountRecord record : journal.list()) {
                Path merged = journal.merged(record.mountId());
                switch (record.state()) {
                    case ACTIVE -> {
                        live.add(merged);
                        if (Mounts.isMounted(merged)) {
                            checkouts.adopt(record.environment(), Digest.parse(record.tree()));
                        }
                    }
                    case SEALED -> unfinished.add(record.mountId());
                    case DONE -> {}
                }
            }
            for (Mounts.Mounted mounted : Mounts.list().reversed()) {
                if (mounted.target().startsWith(journal.root()) && !live.contains(mounted.target())) {
                    LOG.infof("unmounts a leftover path=%s", mounted.target());
                    Mounts.unmount(mounted.target());
                }
            }
            return unfinished;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <T> T locked(String mountId, IoSupplier<T> work) {
        ReentrantLock lock = locks.computeIfAbsent(mountId, _ -> new ReentrantLock());
        lock.lock();
        try {
            return work.get();
        } catch (IOException e) {
            throw new UncheckedIOException("mount " + mountId, e);
        } finally {
            lock.unlock();
        }
    }

    private interface IoSupplier<T> {
        T get() throws IOException;
    }
}
