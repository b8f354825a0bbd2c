package dev.slate.controlplane.sandbox;

import dev.slate.api.volume.v1.ListMountsRequest;
import dev.slate.api.volume.v1.MountRequest;
import dev.slate.api.volume.v1.MountState;
import dev.slate.api.volume.v1.SealRequest;
import dev.slate.api.volume.v1.SealResponse;
import dev.slate.api.volume.v1.VolumeNodeGrpc;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.InternalApi;
import dev.slate.controlplane.runtime.SandboxId;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reaches the node side of the volume store over gRPC. */
@Singleton
class GrpcVolumeNodes implements VolumeNodes {
    private final VolumeNodeGrpc.VolumeNodeBlockingStub node;

    GrpcVolumeNodes(@InternalApi Channel channel) {
        this.node = VolumeNodeGrpc.newBlockingStub(channel);
    }

    @Override
    public Path mount(Sandbox sandbox, VolumeMount volume) {
        try {
            return Path.of(node.mount(MountRequest.newBuilder()
                            .setMountId(VolumeNodes.mountId(sandbox.id(), volume))
                            .setEnvironment(sandbox.environment())
                            .setVolume(volume.volume())
                            .setVersion(volume.version())
                            .setSandboxId(sandbox.id().value())
                            .build())
                    .getHostPath());
        } catch (StatusRuntimeException failure) {
            throw GrpcErrors.fromStatus(failure);
        }
    }

    @Override
    public Optional<MountResult> seal(SandboxId sandbox, VolumeMount volume) {
        try {
            SealResponse sealed = node.seal(SealRequest.newBuilder()
                    .setMountId(VolumeNodes.mountId(sandbox, volume))
                    .setCommit(volume.commits())
                    .build());
            String outcome = sealed.getOutcome().name().replace("OUTCOME_", "").toLowerCase(Locale.ROOT);
            return Optional.of(new MountResult(
                    volume.path(),
                    volume.volume(),
                    sealed.getVersion(),
                    outcome,
                    sealed.getConflictsList(),
                    sealed.getConflictRef()));
        } catch (StatusRuntimeException failure) {
            PlatformException known = GrpcErrors.fromStatus(failure);
            if (known.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw known;
        }
    }

    @Override
    public List<Mounted> mounted() {
        try {
            return node.listMounts(ListMountsRequest.getDefaultInstance()).getMountsList().stream()
                    .filter(mount -> !mount.getSealed() || mount.getMounted())
                    .map(GrpcVolumeNodes::mounted)
                    .toList();
        } catch (StatusRuntimeException failure) {
            throw GrpcErrors.fromStatus(failure);
        }
    }

    @Override
    public void salvage(Mounted mount) {
        try {
            var sealed = node.seal(SealRequest.newBuilder()
                    .setMountId(mount.mountId())
                    .setCommit(true)
                    .build());
            java.util.Objects.requireNonNull(sealed);
        } catch (StatusRuntimeException failure) {
            throw GrpcErrors.fromStatus(failure);
        }
    }

    private static Mounted mounted(MountState mount) {
        return new Mounted(mount.getMountId(), mount.getSandboxId());
    }
}
