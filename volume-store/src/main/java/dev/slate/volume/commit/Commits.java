package dev.slate.volume.commit;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.ContentStore;
import dev.slate.tree.Digest;
import dev.slate.tree.Entry;
import dev.slate.tree.Tree;
import dev.slate.tree.TreePath;
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
        Optional<Append.Repeated> earlier = volumes.commit(volume.id(), commitId);
        if (earlier.isPresent()) {
            return Optional.of(sameRequest(earlier.get(), request, commitId));
        }
        long head = volume.latest();
        for (int attempt = 0; attempt < TRIES; attempt++) {
            Tree before = trees.of(volume.environment(), volume.id(), head);
            Tree after = TreeEdit.apply(before, edits, clock.instant());
            if (after.equals(before)) {
                return head == 0 ? Optional.empty() : volumes.version(volume.id(), head);
            }
            NewVersion next = version(
                    volume.environment(),
                    volume.id(),
                    commitId,
                    request,
                    head,
                    after,
                    author,
                    List.of(),
                    Optional.empty());
            switch (volumes.append(next)) {
                case Append.Appended(Version version) -> {
                    return Optional.of(version);
                }
                case Append.Repeated repeated -> {
                    return Optional.of(sameRequest(repeated, request, commitId));
                }
                case Append.Moved(long newHead) -> head = newHead;
                case Append.Gone _ ->
                    throw PlatformException.notFound("volume", volume.name().value());
            }
            pause();
        }
        throw busy();
    }

    /** Merges what a mount wrote into the head; empty when the volume is deleted. */
    public Optional<Version> merge(MountCommit commit) {
        Tree base = trees.of(commit.environment(), commit.volumeId(), commit.base());
        Digest request = commit.ours().digest();
        long head = commit.base();
        for (int attempt = 0; attempt < TRIES; attempt++) {
            Tree theirs = head == commit.base() ? base : trees.of(commit.environment(), commit.volumeId(), head);
            MergeResult merged = ThreeWayMerge.merge(base, commit.ours(), theirs);
            if (merged.tree().equals(theirs)) {
                return volumes.version(commit.volumeId(), head);
            }
            NewVersion next = version(
                    commit.environment(),
                    commit.volumeId(),
                    commit.commitId(),
                    request,
                    head,
                    merged.tree(),
                    commit.author(),
                    merged.conflicts(),
                    merged.conflicts().isEmpty()
                            ? Optional.empty()
                            : Optional.of(MountCommit.conflictRef(commit.mountId())));
            switch (volumes.append(next)) {
                case Append.Appended(Version version) -> {
                    return Optional.of(version);
                }
                case Append.Repeated repeated -> {
                    return Optional.of(repeated.version());
                }
                case Append.Moved(long newHead) -> head = newHead;
                case Append.Gone _ -> {
                    return Optional.empty();
                }
            }
            pause();
        }
        throw busy();
    }

    private NewVersion version(
            String environment,
            String volumeId,
            String commitId,
            Digest request,
            long parent,
            Tree tree,
            String author,
            List<TreePath> conflicts,
            Optional<String> conflictRef) {
        long files = tree.entries().values().stream()
                .filter(Entry.File.class::isInstance)
                .count();
        Digest digest = trees.write(environment, tree);
        return new NewVersion(
                volumeId,
                commitId,
                request,
                parent,
                digest,
                files,
                tree.size(),
                author,
                conflicts,
                conflictRef,
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

    private static Version sameRequest(Append.Repeated repeated, Digest request, String commitId) {
        if (!repeated.request().equals(request)) {
            throw new PlatformException(
                    ErrorCode.IDEMPOTENCY_CONFLICT, "commit_id " + commitId + " was used for other changes");
        }
        return repeated.version();
    }

    private static void pause() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(MAX_PAUSE_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, "interrupted while a commit waits for its turn", e);
        }
    }

    private static PlatformException busy() {
        return new PlatformException(
                ErrorCode.UNAVAILABLE, "other writers were faster " + TRIES + " times (try again)");
    }
}
