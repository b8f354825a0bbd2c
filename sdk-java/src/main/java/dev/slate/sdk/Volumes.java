package dev.slate.sdk;

import dev.slate.api.volume.v1.ListVolumesRequest;
import dev.slate.api.volume.v1.VolumesGrpc;
import dev.slate.sdk.internal.Transport;
import java.time.Instant;
import java.util.List;

/** All volumes of the environment. Thread-safe. */
public final class Volumes {

    private final Transport transport;

    /**
     * A volume as it is now.
     *
     * @param latestVersion 0 when nothing was stored yet
     */
    public record Entry(String id, String name, long latestVersion, Instant createdAt) {}

    Volumes(Transport transport) {
        this.transport = transport;
    }

    public List<Entry> list() {
        return Pages.all(token -> {
            var request = ListVolumesRequest.newBuilder().setPageToken(token).build();
            var reply = transport.call(VolumesGrpc.getListVolumesMethod(), request);
            return new Pages.Page<>(
                    reply.getVolumesList().stream().map(Volumes::entry).toList(), reply.getNextPageToken());
        });
    }

    static Entry entry(dev.slate.api.volume.v1.Volume volume) {
        return new Entry(
                volume.getId(), volume.getName(), volume.getLatestVersion(), Wire.instant(volume.getCreatedAt()));
    }
}
