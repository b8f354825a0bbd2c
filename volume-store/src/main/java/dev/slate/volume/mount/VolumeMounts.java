package dev.slate.volume.mount;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.Attributes;
import dev.slate.tree.Changes;
import dev.slate.tree.ContentStore;
import dev.slate.tree.Digest;
import dev.slate.tree.Lower;
import dev.slate.tree.Mounts;
import dev.slate.tree.OverlayScanner;
import dev.slate.tree.ScanLimits;
import dev.slate.tree.Tree;
import dev.slate.tree.TreeException;
import dev.slate.tree.TreePath;
import dev.slate.tree.posix.Directory;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.Version;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeName;
import dev.slate.volume.catalog.VolumeStore;
import dev.slate.volume.commit.Commits;
import dev.slate.volume.commit.MountCommit;
import dev.slate.volume.commit.VersionTrees;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
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
    private final Commits commits;
    private final BodyStores bodies;
    private final Clock clock;
    private final MountJournal journal;
    private final CheckoutCache checkouts;
    private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    public VolumeMounts(VolumeStore volumes, VersionTrees trees, Commits commits, BodyStores bodies, Clock clock)
            throws IOException {
        this.volumes = volumes;
        this.trees = trees;
        this.commits = commits;
        this.bodies = bodies;
        this.clock = clock;
        this.journal = new MountJournal(mounts(bodies.home()));
        this.checkouts = new CheckoutCache(bodies);
    }

    /** Where a sandbox finds its volume, and what is below. */
    record MountPoint(Path path, MountRecord record) {}

    /** A record, and whether the kernel has the mount. */
    record MountStatus(MountRecord record, boolean mounted) {}

    /** Unmounts everything of an install whose platform was killed; the journal keeps what is to be committed. */
    public static void unmountAll(Path slateHome) throws IOException {
        Path mounts = mounts(slateHome.resolve("volumes"));
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
            Path upper = journal.upper(record.mountId());
            if (!Files.exists(upper)) {
                Files.createDirectories(upper);
                rootAttributes(tree.get()).apply(upper, false);
            }
            Path work = Files.createDirectories(journal.work(record.mountId()));
            Mounts.overlay(List.of(lower), upper, work, merged, Mounts.DirectoryRenames.ON);
            return merged;
        } catch (IOException | RuntimeException e) {
            checkouts.release(record.environment(), digest);
            throw e;
        }
    }

    private static Attributes rootAttributes(Tree tree) {
        return tree.find(TreePath.ROOT).orElseThrow().attributes();
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
                record = record.done(finish(record));
                journal.save(record);
            }
            clear(record);
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

    private SealResult finish(MountRecord record) throws IOException {
        Path upper = journal.upper(record.mountId());
        if (!record.writes() || !record.commit() || !Files.exists(upper)) {
            return SealResult.plain(SealResult.Outcome.DROPPED, record.base());
        }
        Tree base = trees.of(record.environment(), record.volumeId(), record.base());
        Tree ours;
        try {
            Changes changes = scan(record, upper, base);
            if (changes.isEmpty()) {
                return SealResult.plain(SealResult.Outcome.UNCHANGED, record.base());
            }
            ours = base.apply(changes.list());
        } catch (TreeException | FileSystemException e) {
            LOG.warnf(
                    "volume mount cannot be committed mountId=%s volumeId=%s reason=%s",
                    record.mountId(), record.volumeId(), e.getMessage());
            return salvage(record);
        }
        Optional<Version> version = commits.merge(new MountCommit(
                record.mountId(),
                record.environment(),
                record.volumeId(),
                record.base(),
                ours,
                "sandbox/" + record.sandboxId()));
        return version.isPresent() ? committed(record, version.get()) : salvage(record);
    }

    private Changes scan(MountRecord record, Path upper, Tree base) throws IOException {
        try (ContentStore.Batch batch = bodies.of(record.environment()).batch()) {
            Lower lower = Lower.tree(base);
            Changes changes = OverlayScanner.scan(upper, batch, ScanLimits.DEFAULT)
                    .withExplicitDeletes(lower)
                    .withoutNoOps(lower);
            if (!changes.skipped().isEmpty()) {
                LOG.warnf(
                        "volume leaves out special files mountId=%s count=%d first=%s",
                        record.mountId(),
                        changes.skipped().size(),
                        changes.skipped().getFirst().path());
            }
            if (!changes.isEmpty()) {
                batch.finish();
            }
            return changes;
        }
    }

    private static SealResult committed(MountRecord record, Version version) {
        if (version.conflicts().isEmpty()) {
            return SealResult.plain(SealResult.Outcome.COMMITTED, version.number());
        }
        return new SealResult(
                SealResult.Outcome.CONFLICT,
                version.number(),
                version.conflicts().stream().map(TreePath::value).toList(),
                MountCommit.conflictRef(record.mountId()),
                "");
    }

    /** Moves what was written out of the way of clean-up, for a person to look at. */
    private SealResult salvage(MountRecord record) throws IOException {
        Path kept = Files.createDirectories(bodies.home().resolve("salvage")).resolve(record.mountId());
        if (!Files.exists(kept)) {
            Files.move(journal.upper(record.mountId()), kept, StandardCopyOption.ATOMIC_MOVE);
        }
        LOG.warnf("volume writes kept aside mountId=%s volumeId=%s path=%s", record.mountId(), record.volumeId(), kept);
        return new SealResult(SealResult.Outcome.SALVAGED, record.base(), List.of(), "", kept.toString());
    }

    private void clear(MountRecord record) throws IOException {
        Directory.deleteTree(journal.upper(record.mountId()));
        Directory.deleteTree(journal.work(record.mountId()));
        Directory.deleteTree(journal.merged(record.mountId()));
    }

    List<MountStatus> list() {
        try {
            List<MountStatus> mounts = new ArrayList<>();
            List<Path> table =
                    Mounts.list().stream().map(Mounts.Mounted::target).toList();
            for (MountRecord record : journal.list()) {
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
