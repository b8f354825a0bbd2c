package dev.slate.volume.mount;

import dev.slate.api.volume.v1.ListMountsRequest;
import dev.slate.api.volume.v1.ListMountsResponse;
import dev.slate.api.volume.v1.MountRequest;
import dev.slate.api.volume.v1.MountResponse;
import dev.slate.api.volume.v1.MountState;
import dev.slate.api.volume.v1.SealRequest;
import dev.slate.api.volume.v1.SealResponse;
import dev.slate.api.volume.v1.VolumeNodeGrpc;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.volume.catalog.VolumeName;
import io.grpc.stub.StreamObserver;

/** Mount and seal, for the control plane. */
final class VolumeNodeApiGrpc extends VolumeNodeGrpc.VolumeNodeImplBase {
    private final VolumeMounts mounts;

    VolumeNodeApiGrpc(VolumeMounts mounts) {
        this.mounts = mounts;
    }

    @Override
    public void mount(MountRequest request, StreamObserver<MountResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            VolumeMounts.MountPoint point = mounts.mount(
                    request.getMountId(),
                    request.getEnvironment(),
                    new VolumeName(request.getVolume()),
                    request.getVersion(),
                    request.getSandboxId());
            return MountResponse.newBuilder()
                    .setHostPath(point.path().toString())
                    .setVersion(point.record().base())
                    .setVolumeId(point.record().volumeId())
                    .build();
        });
    }

    @Override
    public void seal(SealRequest request, StreamObserver<SealResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            SealResult result = mounts.seal(request.getMountId(), request.getCommit());
            return SealResponse.newBuilder()
                    .setOutcome(outcome(result.outcome()))
                    .setVersion(result.version())
                    .addAllConflicts(result.conflicts())
                    .setConflictRef(result.conflictRef())
                    .setSalvagePath(result.salvage())
                    .build();
        });
    }

    @Override
    public void listMounts(ListMountsRequest request, StreamObserver<ListMountsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            ListMountsResponse.Builder response = ListMountsResponse.newBuilder();
            for (VolumeMounts.MountStatus status : mounts.list()) {
                response.addMounts(MountState.newBuilder()
                        .setMountId(status.record().mountId())
                        .setSandboxId(status.record().sandboxId())
                        .setVolume(status.record().volume())
                        .setMounted(status.mounted())
                        .setSealed(status.record().state() != MountRecord.State.ACTIVE));
            }
            return response.build();
        });
    }

    private static SealResponse.Outcome outcome(SealResult.Outcome outcome) {
        return switch (outcome) {
            case COMMITTED -> SealResponse.Outcome.OUTCOME_COMMITTED;
            case UNCHANGED -> SealResponse.Outcome.OUTCOME_UNCHANGED;
            case DROPPED -> SealResponse.Outcome.OUTCOME_DROPPED;
            case CONFLICT -> SealResponse.Outcome.OUTCOME_CONFLICT;
            case SALVAGED -> SealResponse.Outcome.OUTCOME_SALVAGED;
        };
    }
}
