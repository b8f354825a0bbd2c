package dev.slate.sdk;

import dev.slate.api.volume.v1.ListFilesRequest;
import dev.slate.api.volume.v1.VolumesGrpc;
import dev.slate.sdk.internal.Http;
import dev.slate.sdk.internal.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A volume at one version, or at whatever is the latest when it is used. An immutable, thread-safe handle. */
public final class VolumeSnapshot {

    private final Transport transport;
    private final String volume;
    private final long version;

    VolumeSnapshot(Transport transport, String volume, long version) {
        this.transport = transport;
        this.volume = volume;
        this.version = version;
    }

    /**
     * Mounts at an absolute path of a sandbox. Of the latest, what the sandbox writes becomes a new version when it
     * ends; of a version, writes are private to the sandbox and dropped.
     */
    public VolumeMount mount(String path) {
        return new VolumeMount(volume, version, path);
    }

    public byte[] read(String path) {
        try (var in = open(path)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path + " of volume " + volume, e);
        }
    }

    public String readText(String path) {
        return new String(read(path), StandardCharsets.UTF_8);
    }

    /** The caller closes the stream. */
    public InputStream open(String path) {
        var address = "/v1/volumes/" + Http.encode(volume) + "/files?path=" + Http.encode(relative(path));
        return transport.http().get(version == 0 ? address : address + "&version=" + version);
    }

    /** Everything, at any depth. */
    public List<VolumeFile> list() {
        return list("", true);
    }

    /** What is directly in a directory. */
    public List<VolumeFile> list(String path) {
        return list(relative(path), false);
    }

    private List<VolumeFile> list(String path, boolean recursive) {
        return Pages.all(token -> {
            var request = ListFilesRequest.newBuilder()
                    .setVolume(volume)
                    .setVersion(version)
                    .setPath(path)
                    .setRecursive(recursive)
                    .setPageToken(token)
                    .build();
            var reply = transport.call(VolumesGrpc.getListFilesMethod(), request);
            return new Pages.Page<>(
                    reply.getEntriesList().stream().map(VolumeFile::of).toList(), reply.getNextPageToken());
        });
    }

    /** Paths of a volume have no leading or trailing slash; users may write them anyway. */
    static String relative(String path) {
        var stripped = path.startsWith("/") ? path.substring(1) : path;
        return stripped.endsWith("/") ? stripped.substring(0, stripped.length() - 1) : stripped;
    }
}
