package dev.slate.volume.mount;

import dev.slate.tree.Changes;
import dev.slate.tree.ContentStore;
import dev.slate.tree.Lower;
import dev.slate.tree.OverlayScanner;
import dev.slate.tree.ScanLimits;
import dev.slate.tree.Tree;
import dev.slate.tree.TreeException;
import dev.slate.tree.TreePath;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.Version;
import dev.slate.volume.commit.Commits;
import dev.slate.volume.commit.MountCommit;
import dev.slate.volume.commit.VersionTrees;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Turns the upper directory of a sealed mount into its result. Every step can be repeated after a crash. */
final class UpperCommitter {
    private static final Logger LOG = Logger.getLogger(UpperCommitter.class);

    private final MountJournal journal;
    private final VersionTrees trees;
    private final Commits commits;
    private final BodyStores bodies;

    UpperCommitter(MountJournal journal, VersionTrees trees, Commits commits, BodyStores bodies) {
        this.journal = journal;
        this.trees = trees;
        this.commits = commits;
        this.bodies = bodies;
    }

    SealResult finish(MountRecord record) throws IOException {
        Path upper = journal.upper(record.mountId());
        if (Files.exists(salvage(record.mountId()))) {
            return salvaged(record);
        }
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
            return keepAside(record);
        }
        Optional<Version> version = commits.merge(new MountCommit(
                record.mountId(),
                record.environment(),
                record.volumeId(),
                record.base(),
                ours,
                "sandbox/" + record.sandboxId()));
        return version.isPresent() ? committed(record, version.get()) : keepAside(record);
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
    private SealResult keepAside(MountRecord record) throws IOException {
        Path kept = salvage(record.mountId());
        Files.createDirectories(bodies.home().resolve("salvage"));
        Files.move(journal.upper(record.mountId()), kept, StandardCopyOption.ATOMIC_MOVE);
        LOG.warnf("volume writes kept aside mountId=%s volumeId=%s path=%s", record.mountId(), record.volumeId(), kept);
        return salvaged(record);
    }

    private SealResult salvaged(MountRecord record) {
        String kept = salvage(record.mountId()).toString();
        return new SealResult(SealResult.Outcome.SALVAGED, record.base(), List.of(), "", kept);
    }

    private Path salvage(String mountId) {
        return bodies.home().resolve("salvage").resolve(mountId);
    }
}
