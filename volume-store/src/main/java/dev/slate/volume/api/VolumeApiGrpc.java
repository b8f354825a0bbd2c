package dev.slate.volume.api;

import dev.slate.api.volume.v1.CommitFilesRequest;
import dev.slate.api.volume.v1.CommitFilesResponse;
import dev.slate.api.volume.v1.CreateVolumeRequest;
import dev.slate.api.volume.v1.CreateVolumeResponse;
import dev.slate.api.volume.v1.DeleteVolumeRequest;
import dev.slate.api.volume.v1.DeleteVolumeResponse;
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
import dev.slate.api.volume.v1.VolumesGrpc;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.PageRequest;
import dev.slate.tree.ContentStore;
import dev.slate.tree.TreePath;
import dev.slate.volume.body.BodyStores;
import dev.slate.volume.catalog.Version;
import dev.slate.volume.catalog.Volume;
import dev.slate.volume.catalog.VolumeName;
import dev.slate.volume.catalog.VolumeStore;
import dev.slate.volume.commit.Commits;
import dev.slate.volume.version.FileEdit;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.util.List;
import java.util.Optional;

/** Volumes for clients. */
@GrpcService
public class VolumeApiGrpc extends VolumesGrpc.VolumesImplBase {
    private static final int MAX_CHANGES = 10_000;

    private final VolumeCatalog catalog;
    private final VolumeStore volumes;
    private final Commits commits;
    private final BodyStores bodies;

    VolumeApiGrpc(VolumeCatalog catalog, VolumeStore volumes, Commits commits, BodyStores bodies) {
        this.catalog = catalog;
        this.volumes = volumes;
        this.commits = commits;
        this.bodies = bodies;
    }

    @Override
    public void createVolume(CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_CREATE);
            Volume volume =
                    catalog.create(caller.environment(), new VolumeName(request.getName()), request.getIfNotExists());
            return CreateVolumeResponse.newBuilder()
                    .setVolume(VolumeMessages.volume(volume))
                    .build();
        });
    }

    @Override
    public void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
        GrpcCalls.unary(
                observer,
                () -> GetVolumeResponse.newBuilder()
                        .setVolume(VolumeMessages.volume(readable(request.getName())))
                        .build());
    }

    @Override
    public void listVolumes(ListVolumesRequest request, StreamObserver<ListVolumesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_READ);
            PageRequest wanted = PageRequest.of(request.getPageSize(), request.getPageToken());
            PageRequest.Page<Volume> page = wanted.page(
                    volumes.list(caller.environment(), wanted),
                    volume -> volume.name().value());
            return ListVolumesResponse.newBuilder()
                    .addAllVolumes(
                            page.entries().stream().map(VolumeMessages::volume).toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    @Override
    public void deleteVolume(DeleteVolumeRequest request, StreamObserver<DeleteVolumeResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_REDEPLOY);
            catalog.delete(caller.environment(), new VolumeName(request.getName()));
            return DeleteVolumeResponse.getDefaultInstance();
        });
    }

    @Override
    public void listVersions(ListVersionsRequest request, StreamObserver<ListVersionsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Volume volume = readable(request.getVolume());
            PageRequest wanted = PageRequest.of(request.getPageSize(), request.getPageToken());
            PageRequest.Page<Version> page = wanted.page(
                    volumes.versions(volume.id(), below(wanted.after()), wanted.fetch()),
                    version -> Long.toString(version.number()));
            return ListVersionsResponse.newBuilder()
                    .addAllVersions(
                            page.entries().stream().map(VolumeMessages::version).toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    private static long below(String after) {
        try {
            return after.isEmpty() ? Long.MAX_VALUE : Long.parseLong(after);
        } catch (NumberFormatException _) {
            throw PlatformException.invalid("page_token", after, "the token of the page before");
        }
    }

    @Override
    public void listFiles(ListFilesRequest request, StreamObserver<ListFilesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Volume volume = readable(request.getVolume());
            TreePath directory = VolumeMessages.path(request.getPath());
            PageRequest wanted = PageRequest.of(request.getPageSize(), request.getPageToken());
            List<FileListing.Line> lines = FileListing.of(
                    catalog.tree(volume, request.getVersion()), directory, request.getRecursive(), wanted);
            PageRequest.Page<FileListing.Line> page =
                    wanted.page(lines, line -> line.path().value());
            return ListFilesResponse.newBuilder()
                    .addAllEntries(page.entries().stream()
                            .map(line -> VolumeMessages.file(line.path(), line.entry()))
                            .toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    @Override
    public void findMissingBodies(
            FindMissingBodiesRequest request, StreamObserver<FindMissingBodiesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Volume volume = writable(request.getVolume());
            ContentStore store = bodies.of(volume.environment());
            return FindMissingBodiesResponse.newBuilder()
                    .addAllSha256(request.getSha256List().stream()
                            .filter(hex -> !store.has(VolumeMessages.digest(hex)))
                            .toList())
                    .build();
        });
    }

    @Override
    public void commitFiles(CommitFilesRequest request, StreamObserver<CommitFilesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Volume volume = writable(request.getVolume());
            if (request.getChangesCount() > MAX_CHANGES) {
                throw PlatformException.invalid(
                        "changes", request.getChangesCount() + " entries", "at most " + MAX_CHANGES);
            }
            List<FileEdit> edits =
                    request.getChangesList().stream().map(VolumeMessages::edit).toList();
            Optional<Version> version =
                    commits.edit(volume, request.getCommitId(), Caller.current().subject(), edits);
            CommitFilesResponse.Builder response = CommitFilesResponse.newBuilder();
            version.map(VolumeMessages::version).ifPresent(response::setVersion);
            return response.build();
        });
    }

    private Volume readable(String name) {
        Caller caller = Caller.current().require(Permission.DEPLOY_READ);
        return catalog.find(caller.environment(), new VolumeName(name));
    }

    private Volume writable(String name) {
        Caller caller = Caller.current().require(Permission.DEPLOY_CREATE);
        return catalog.find(caller.environment(), new VolumeName(name));
    }
}
