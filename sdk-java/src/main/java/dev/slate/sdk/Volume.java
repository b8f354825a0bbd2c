package dev.slate.sdk;

import dev.slate.api.volume.v1.CreateVolumeRequest;
import dev.slate.api.volume.v1.DeleteVolumeRequest;
import dev.slate.api.volume.v1.GetVolumeRequest;
import dev.slate.api.volume.v1.ListVersionsRequest;
import dev.slate.api.volume.v1.VolumesGrpc;
import dev.slate.sdk.internal.Transport;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A named file tree with immutable, numbered versions. A thread-safe handle; the volume need not exist.
 *
 * <p>Every change makes one new version, all or nothing.
 */
public final class Volume {

    private final Transport transport;
    private final String name;

    Volume(Transport transport, String name) {
        this.transport = transport;
        this.name = name;
    }

    public String name() {
        return name;
    }

    public Volume createIfMissing() {
        return create(true);
    }

    /** Fails with {@link SlateException.Conflict} when the name is taken. */
    public Volume create() {
        return create(false);
    }

    /** The volume as it is now. */
    public Volumes.Entry info() {
        var request = GetVolumeRequest.newBuilder().setName(name).build();
        return Volumes.entry(
                transport.call(VolumesGrpc.getGetVolumeMethod(), request).getVolume());
    }

    /** Stores a local file, or everything in a local directory, under a path. */
    public VolumeVersion put(Path local, String path) {
        return upload(upload -> upload.put(local, path));
    }

    public VolumeVersion putBytes(String path, byte[] content) {
        return upload(upload -> upload.putBytes(path, content));
    }

    public VolumeVersion putText(String path, String content) {
        return upload(upload -> upload.putText(path, content));
    }

    public VolumeVersion remove(String path) {
        return upload(upload -> upload.remove(path));
    }

    /** Several changes as one new version. */
    public VolumeVersion upload(Consumer<VolumeUpload> changes) {
        var upload = new VolumeUpload();
        changes.accept(upload);
        return upload.commit(transport, name);
    }

    /** Of the latest version. */
    public byte[] read(String path) {
        return latest().read(path);
    }

    /** Of the latest version. */
    public String readText(String path) {
        return latest().readText(path);
    }

    /** Everything in the latest version. */
    public List<VolumeFile> list() {
        return latest().list();
    }

    /** Newest first. */
    public List<VolumeVersion> versions() {
        return Pages.all(token -> {
            var request = ListVersionsRequest.newBuilder()
                    .setVolume(name)
                    .setPageToken(token)
                    .build();
            var reply = transport.call(VolumesGrpc.getListVersionsMethod(), request);
            return new Pages.Page<>(
                    reply.getVersionsList().stream().map(VolumeVersion::of).toList(), reply.getNextPageToken());
        });
    }

    /** Fails with {@link SlateException.NotFound} when nothing was stored yet. */
    public VolumeVersion latestVersion() {
        var request =
                ListVersionsRequest.newBuilder().setVolume(name).setPageSize(1).build();
        var versions =
                transport.call(VolumesGrpc.getListVersionsMethod(), request).getVersionsList();
        if (versions.isEmpty()) {
            throw SlateException.notFound("NOT_FOUND", "volume " + name + " has no version yet");
        }
        return VolumeVersion.of(versions.getFirst());
    }

    /** One version: an immutable snapshot. */
    public VolumeSnapshot at(long version) {
        if (version < 1) {
            throw new IllegalArgumentException("version: " + version + " (expected: 1 or more)");
        }
        return new VolumeSnapshot(transport, name, version);
    }

    public VolumeSnapshot at(VolumeVersion version) {
        return at(version.number());
    }

    /** Whatever is the latest when it is read or mounted. */
    public VolumeSnapshot latest() {
        return new VolumeSnapshot(transport, name, 0);
    }

    /** The latest, with writes kept; see {@link VolumeSnapshot#mount(String)}. */
    public VolumeMount mount(String path) {
        return latest().mount(path);
    }

    public void delete() {
        transport.call(
                VolumesGrpc.getDeleteVolumeMethod(),
                DeleteVolumeRequest.newBuilder().setName(name).build());
    }

    private Volume create(boolean ifNotExists) {
        var request = CreateVolumeRequest.newBuilder()
                .setName(name)
                .setIfNotExists(ifNotExists)
                .build();
        transport.call(VolumesGrpc.getCreateVolumeMethod(), request);
        return this;
    }
}
