package dev.slate.volume.commit;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.ContentStore;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.Append;
import dev.slate.volume.catalog.NewVersion;
import dev.slate.volume.catalog.Version;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeStore;
import dev.slate.volume.version.FileEdit;
import dev.slate.volume.version.MergeResult;
import dev.slate.volume.version.ThreeWayMerge;
import dev.slate.volume.version.TreeEdit;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Appends versions to ref main. Everything that a version names is durable before the compare-and-swap; when another
 * writer was faster, the work is repeated on the new head, a bounded number of times. Thread-safe.
 */
@Singleton
public class Commits {
    private static final int TRIES = 50;
    private static final int MAX_PAUSE_MILLIS = 40;

    private final VolumeStore volumes;
    private final VersionTrees trees;
    private final BodyStores bodies;
    private final Clock clock;

    public Commits(VolumeStore volumes, VersionTrees trees, BodyStores bodies, Clock clock) {
        this.volumes = volumes;
        this.trees = trees;
        this.bodies = bodies;
        this.clock = clock;
    }

    /** Applies edits by path to the head; empty when they change nothing on a volume without versions. */
    public Optional<Version> edit(Volume volume, String commitId, String author, List<FileEdit> edits) {
        if (commitId.isEmpty() || commitId.length() > 128) {
            throw PlatformException.invalid("commit_id", commitId, "1 to 128 characters");
        }
        checkBodies(volume.environment(), edits);
        Digest request = Digest.of(edits.toString().getBytes(StandardCharsets.UTF_8));
        Commit commit = new Commit(volume.environment(), volume.id(), commitId, request, author, Optional.empty());
        Optional<Append.Repeated> earlier = volumes.commit(volume.id(), commitId);
        Decided decided = earlier.isPresent()
                ? new Decided.Done(earlier.get().version(), earlier.get().request())
                : append(commit, volume.latest(), head -> editOn(volume, head, edits));
        return switch (decided) {
            case Decided.Done(Version version, Digest asked) when asked.equals(request) -> Optional.of(version);
            case Decided.Done _ ->
                throw new PlatformException(
                        ErrorCode.IDEMPOTENCY_CONFLICT, "commit_id " + commitId + " was used for other changes");
            case Decided.Unchanged(long head) -> volumes.version(volume.id(), head);
            case Decided.Gone _ ->
                throw PlatformException.notFound("volume", volume.name().value());
        };
    }

    private Optional<MergeResult> editOn(Volume volume, long head, List<FileEdit> edits) {
        Tree before = trees.of(volume.environment(), volume.id(), head);
        Tree after = TreeEdit.apply(before, edits, clock.instant());
        return after.equals(before) ? Optional.empty() : Optional.of(new MergeResult(after, List.of()));
    }

    /** Merges what a mount wrote into the head; empty when the volume is deleted. */
    public Optional<Version> merge(MountCommit mount) {
        Tree base = trees.of(mount.environment(), mount.volumeId(), mount.base());
        Commit commit = new Commit(
                mount.environment(),
                mount.volumeId(),
                mount.commitId(),
                mount.ours().digest(),
                mount.author(),
                Optional.of(MountCommit.conflictRef(mount.mountId())));
        return switch (append(commit, mount.base(), head -> mergeOn(mount, base, head))) {
            case Decided.Done(Version version, Digest _) -> Optional.of(version);
            case Decided.Unchanged(long head) -> volumes.version(mount.volumeId(), head);
            case Decided.Gone _ -> Optional.empty();
        };
    }

    private Optional<MergeResult> mergeOn(MountCommit mount, Tree base, long head) {
        if (head == mount.base()) {
            return Optional.of(new MergeResult(mount.ours(), List.of()));
        }
        Tree theirs = trees.of(mount.environment(), mount.volumeId(), head);
        MergeResult merged = ThreeWayMerge.merge(base, mount.ours(), theirs);
        return merged.tree().equals(theirs) ? Optional.empty() : Optional.of(merged);
    }

    /** Who commits, and what was asked for under which id. */
    private record Commit(
            String environment,
            String volumeId,
            String commitId,
            Digest request,
            String author,
            Optional<String> conflictRef) {}

    private sealed interface Decided {
        record Done(Version version, Digest request) implements Decided {}

        record Unchanged(long head) implements Decided {}

        record Gone() implements Decided {}
    }

    /** Makes the tree that belongs on a head; empty when the head is that tree. */
    private interface OnHead {
        Optional<MergeResult> tree(long head);
    }

    private Decided append(Commit commit, long firstHead, OnHead work) {
        long head = firstHead;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            Optional<MergeResult> wanted = work.tree(head);
            if (wanted.isEmpty()) {
                return new Decided.Unchanged(head);
            }
            switch (volumes.append(version(commit, head, wanted.get()))) {
                case Append.Appended(Version version) -> {
                    return new Decided.Done(version, commit.request());
                }
                case Append.Repeated(Digest request, Version version) -> {
                    return new Decided.Done(version, request);
                }
                case Append.Gone _ -> {
                    return new Decided.Gone();
                }
                case Append.Moved(long newHead) -> head = newHead;
            }
            pause();
        }
        throw new PlatformException(ErrorCode.UNAVAILABLE, "other writers were faster " + TRIES + " times (try again)");
    }

    private NewVersion version(Commit commit, long parent, MergeResult result) {
        Tree tree = result.tree();
        long files = tree.entries().values().stream()
                .filter(Entry.File.class::isInstance)
                .count();
        return new NewVersion(
                commit.volumeId(),
                commit.commitId(),
                commit.request(),
                parent,
                trees.write(commit.environment(), tree),
                files,
                tree.size(),
                commit.author(),
                result.conflicts(),
                commit.conflictRef().filter(_ -> !result.conflicts().isEmpty()),
                clock.instant());
    }

    private void checkBodies(String environment, List<FileEdit> edits) {
        ContentStore store = bodies.of(environment);
        for (FileEdit edit : edits) {
            if (edit instanceof FileEdit.PutFile put) {
                OptionalLong size = store.size(put.content());
                if (size.isEmpty()) {
                    throw new PlatformException(
                            ErrorCode.FAILED_PRECONDITION,
                            "body of " + put.path() + " is not uploaded: " + put.content());
                }
                if (size.getAsLong() != put.size()) {
                    throw PlatformException.invalid(
                            "size of " + put.path(), put.size(), "the " + size.getAsLong() + " bytes of its body");
                }
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(MAX_PAUSE_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted while a commit waits for its turn", e);
        }
    }
}
