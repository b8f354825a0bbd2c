package dev.slate.sdk;

import dev.slate.api.volume.v1.CommitFilesRequest;
import dev.slate.api.volume.v1.FileChange;
import dev.slate.api.volume.v1.FindMissingBodiesRequest;
import dev.slate.api.volume.v1.PutFile;
import dev.slate.api.volume.v1.VolumesGrpc;
import dev.slate.sdk.internal.Digests;
import dev.slate.sdk.internal.Http;
import dev.slate.sdk.internal.LocalTree;
import dev.slate.sdk.internal.Transport;
import dev.slate.sdk.internal.Uploads;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Changes that become one version of a volume together; given to {@link Volume#upload}. Not thread-safe. */
public final class VolumeUpload {

    private static final int DIGESTS_AT_ONCE = 10_000;
    private static final Duration COMMIT_DEADLINE = Duration.ofMinutes(5);

    private final List<FileChange> changes = new ArrayList<>();
    private final Map<String, Supplier<BodyPublisher>> bodies = new HashMap<>();

    VolumeUpload() {}

    /**
     * A local file, or everything in a local directory except {@code .git}. A file keeps its name under a path that
     * ends with a slash.
     */
    public VolumeUpload put(Path local, String path) {
        var intoFolder = Files.isRegularFile(local) && (path.isEmpty() || path.endsWith("/"));
        var target = intoFolder
                ? join(VolumeSnapshot.relative(path), local.getFileName().toString())
                : VolumeSnapshot.relative(path);
        for (var entry : LocalTree.read(local)) {
            var change = FileChange.newBuilder().setPath(join(target, entry.path()));
            switch (entry) {
                case LocalTree.Entry.RegularFile file -> {
                    var digest = Digests.sha256(file.local());
                    bodies.put(digest, () -> publisher(file.local()));
                    change.setPut(PutFile.newBuilder()
                            .setSha256(digest)
                            .setSize(file.local().toFile().length())
                            .setMode(file.mode()));
                }
                case LocalTree.Entry.SymbolicLink link -> change.setSymlinkTarget(link.target());
                case LocalTree.Entry.EmptyDirectory _ -> change.setMakeDirectory(true);
            }
            if (!change.getPath().isEmpty()) {
                changes.add(change.build());
            }
        }
        return this;
    }

    public VolumeUpload putBytes(String path, byte[] content) {
        var copy = content.clone();
        var digest = Digests.sha256(copy);
        bodies.put(digest, () -> BodyPublishers.ofByteArray(copy));
        changes.add(FileChange.newBuilder()
                .setPath(VolumeSnapshot.relative(path))
                .setPut(PutFile.newBuilder().setSha256(digest).setSize(copy.length))
                .build());
        return this;
    }

    public VolumeUpload putText(String path, String content) {
        return putBytes(path, content.getBytes(StandardCharsets.UTF_8));
    }

    /** A directory goes with all that is in it. */
    public VolumeUpload remove(String path) {
        changes.add(FileChange.newBuilder()
                .setPath(VolumeSnapshot.relative(path))
                .setRemove(true)
                .build());
        return this;
    }

    public VolumeUpload makeDirectory(String path) {
        changes.add(FileChange.newBuilder()
                .setPath(VolumeSnapshot.relative(path))
                .setMakeDirectory(true)
                .build());
        return this;
    }

    VolumeVersion commit(Transport transport, String volume) {
        var digests = List.copyOf(bodies.keySet());
        for (int from = 0; from < digests.size(); from += DIGESTS_AT_ONCE) {
            var request = FindMissingBodiesRequest.newBuilder()
                    .setVolume(volume)
                    .addAllSha256(digests.subList(from, Math.min(digests.size(), from + DIGESTS_AT_ONCE)))
                    .build();
            var missing = transport.call(VolumesGrpc.getFindMissingBodiesMethod(), request);
            Uploads.each(missing.getSha256List(), digest -> send(digest, transport, volume));
        }
        var request = CommitFilesRequest.newBuilder()
                .setVolume(volume)
                .setCommitId(UUID.randomUUID().toString())
                .addAllChanges(changes)
                .build();
        return VolumeVersion.of(transport
                .call(VolumesGrpc.getCommitFilesMethod(), request, COMMIT_DEADLINE)
                .getVersion());
    }

    private void send(String digest, Transport transport, String volume) {
        var body = bodies.get(digest);
        if (body == null) {
            throw new IllegalStateException("the store asks for a body that is not in the upload: " + digest);
        }
        transport.http().put("/v1/volumes/" + Http.encode(volume) + "/bodies", body.get());
    }

    private static BodyPublisher publisher(Path file) {
        try {
            return BodyPublishers.ofFile(file);
        } catch (FileNotFoundException e) {
            throw new UncheckedIOException("local file is gone: " + file, e);
        }
    }

    private static String join(String folder, String path) {
        return folder.isEmpty() || path.isEmpty() ? folder + path : folder + "/" + path;
    }
}
