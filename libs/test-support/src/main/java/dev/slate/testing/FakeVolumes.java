package dev.slate.testing;

import dev.slate.api.volume.v1.CommitFilesRequest;
import dev.slate.api.volume.v1.CommitFilesResponse;
import dev.slate.api.volume.v1.CreateVolumeRequest;
import dev.slate.api.volume.v1.CreateVolumeResponse;
import dev.slate.api.volume.v1.DeleteVolumeRequest;
import dev.slate.api.volume.v1.DeleteVolumeResponse;
import dev.slate.api.volume.v1.FileEntry;
import dev.slate.api.volume.v1.FindMissingBodiesRequest;
import dev.slate.api.volume.v1.FindMissingBodiesResponse;
import dev.slate.api.volume.v1.GetVolumeRequest;
import dev.slate.api.volume.v1.GetVolumeResponse;
import dev.slate.api.volume.v1.ListFilesRequest;
import dev.slate.api.volume.v1.ListFilesResponse;
import dev.slate.api.volume.v1.ListVersionsRequest;
import dev.slate.api.volume.v1.ListVersionsResponse;
import dev.slate.api.volume.v1.ListVolumesRequest;
import dev.slate.api.volume.v1.ListVolumesResponse;
import dev.slate.api.volume.v1.Version;
import dev.slate.api.volume.v1.Volume;
import dev.slate.api.volume.v1.VolumesGrpc;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Regular files and links only. Guarded by its own lock. */
final class FakeVolumes extends VolumesGrpc.VolumesImplBase {

    private final FakeHttp http;
    private final Map<String, List<Map<String, FileEntry>>> volumes = new TreeMap<>();

    FakeVolumes(FakeHttp http) {
        this.http = http;
    }

    @Override
    public synchronized void createVolume(CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> observer) {
        Fakes.reply(observer, () -> {
            if (volumes.containsKey(request.getName()) && !request.getIfNotExists()) {
                throw Fakes.failure(
                        Status.ALREADY_EXISTS, "ALREADY_EXISTS", "volume " + request.getName() + " exists already");
            }
            volumes.putIfAbsent(request.getName(), new ArrayList<>());
            return CreateVolumeResponse.newBuilder()
                    .setVolume(volume(request.getName()))
                    .build();
        });
    }

    @Override
    public synchronized void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
        Fakes.reply(
                observer,
                () -> GetVolumeResponse.newBuilder()
                        .setVolume(volume(request.getName()))
                        .build());
    }

    @Override
    public synchronized void listVolumes(ListVolumesRequest request, StreamObserver<ListVolumesResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListVolumesResponse.newBuilder()
                        .addAllVolumes(
                                volumes.keySet().stream().map(this::volume).toList())
                        .build());
    }

    @Override
    public synchronized void deleteVolume(DeleteVolumeRequest request, StreamObserver<DeleteVolumeResponse> observer) {
        Fakes.reply(observer, () -> {
            versions(request.getName());
            volumes.remove(request.getName());
            return DeleteVolumeResponse.getDefaultInstance();
        });
    }

    @Override
    public synchronized void listVersions(ListVersionsRequest request, StreamObserver<ListVersionsResponse> observer) {
        Fakes.reply(observer, () -> {
            var reply = ListVersionsResponse.newBuilder();
            for (int number = versions(request.getVolume()).size(); number > 0; number--) {
                reply.addVersions(version(request.getVolume(), number));
            }
            return reply.build();
        });
    }

    @Override
    public synchronized void listFiles(ListFilesRequest request, StreamObserver<ListFilesResponse> observer) {
        Fakes.reply(observer, () -> {
            var versions = versions(request.getVolume());
            var number = request.getVersion() == 0 ? versions.size() : (int) request.getVersion();
            return ListFilesResponse.newBuilder()
                    .addAllEntries(versions.get(number - 1).values())
                    .build();
        });
    }

    @Override
    public void findMissingBodies(
            FindMissingBodiesRequest request, StreamObserver<FindMissingBodiesResponse> observer) {
        Fakes.reply(
                observer,
                () -> FindMissingBodiesResponse.newBuilder()
                        .addAllSha256(request.getSha256List().stream()
                                .filter(sha256 -> !http.hasBody(sha256))
                                .toList())
                        .build());
    }

    @Override
    public synchronized void commitFiles(CommitFilesRequest request, StreamObserver<CommitFilesResponse> observer) {
        Fakes.reply(observer, () -> {
            var name = request.getVolume();
            var versions = versions(name);
            var files = versions.isEmpty() ? new TreeMap<String, FileEntry>() : new TreeMap<>(versions.getLast());
            for (var change : request.getChangesList()) {
                var entry = FileEntry.newBuilder().setPath(change.getPath());
                switch (change.getChangeCase()) {
                    case PUT ->
                        files.put(
                                change.getPath(),
                                entry.setType(FileEntry.Type.TYPE_FILE)
                                        .setMode(change.getPut().getMode())
                                        .setSize(change.getPut().getSize())
                                        .setSha256(change.getPut().getSha256())
                                        .build());
                    case SYMLINK_TARGET ->
                        files.put(
                                change.getPath(),
                                entry.setType(FileEntry.Type.TYPE_SYMLINK)
                                        .setSymlinkTarget(change.getSymlinkTarget())
                                        .build());
                    case MAKE_DIRECTORY ->
                        files.put(
                                change.getPath(),
                                entry.setType(FileEntry.Type.TYPE_DIRECTORY).build());
                    case REMOVE, CHANGE_NOT_SET -> files.remove(change.getPath());
                }
            }
            versions.add(files);
            publish(name, versions.size(), files);
            return CommitFilesResponse.newBuilder()
                    .setVersion(version(name, versions.size()))
                    .build();
        });
    }

    private void publish(String volume, int number, Map<String, FileEntry> files) {
        files.forEach((path, entry) -> {
            var body = http.body(entry.getSha256());
            http.files().put(volume + "//" + path, body);
            http.files().put(volume + "/" + number + "/" + path, body);
        });
    }

    private List<Map<String, FileEntry>> versions(String volume) {
        var versions = volumes.get(volume);
        if (versions == null) {
            throw Fakes.notFound("volume " + volume);
        }
        return versions;
    }

    private Volume volume(String name) {
        return Volume.newBuilder()
                .setId("id-of-" + name)
                .setName(name)
                .setLatestVersion(versions(name).size())
                .setCreatedAt(Fakes.TIME)
                .build();
    }

    private Version version(String volume, int number) {
        return Version.newBuilder()
                .setNumber(number)
                .setParent(number - 1)
                .setFiles(versions(volume).get(number - 1).size())
                .setCreatedAt(Fakes.TIME)
                .setAuthor("Owner")
                .build();
    }
}
