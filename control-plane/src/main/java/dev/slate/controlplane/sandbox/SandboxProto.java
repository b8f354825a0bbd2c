package dev.slate.controlplane.sandbox;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.slate.api.image.v1.Recipe;
import dev.slate.api.sandbox.v1.State;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.policy.EffectivePolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.runtime.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Translates sandboxes between the domain and the wire, which is also the form that specifications are stored in. */
final class SandboxProto {
    private SandboxProto() {}

    /** Parses and checks what a client sent. */
    static SandboxSpec parse(dev.slate.api.sandbox.v1.SandboxSpec message) {
        return new SandboxSpec(
                message.getName().isEmpty() ? Optional.empty() : Optional.of(new SandboxName(message.getName())),
                image(message),
                message.getVolumesList().stream()
                        .map(volume -> new VolumeMount(volume.getVolume(), volume.getVersion(), volume.getPath()))
                        .toList(),
                message.hasNetworkPolicy()
                        ? Optional.of(NetworkPolicyProto.parse(message.getNetworkPolicy()))
                        : Optional.empty(),
                message.getCredentialsList().stream()
                        .map(SandboxProto::credential)
                        .toList(),
                new SandboxSpec.Variables(message.getEnvMap(), message.getSecretEnvMap()),
                resources(message),
                message.hasLifetime() ? duration(message.getLifetime()) : SandboxSpec.DEFAULT_LIFETIME,
                message.getTagsMap(),
                message.getWorkdir().isEmpty() ? Optional.empty() : Optional.of(message.getWorkdir()));
    }

    /** Renders a specification with its defaults filled in. */
    static dev.slate.api.sandbox.v1.SandboxSpec render(SandboxSpec spec) {
        var message = dev.slate.api.sandbox.v1.SandboxSpec.newBuilder()
                .putAllEnv(spec.variables().plain())
                .putAllSecretEnv(spec.variables().secrets())
                .setCpuMillis(spec.resources().cpuMillis())
                .setMemoryBytes(spec.resources().memoryBytes())
                .setPids(spec.resources().pids())
                .setLifetime(Durations.fromMillis(spec.lifetime().toMillis()))
                .putAllTags(spec.tags());
        spec.name().ifPresent(name -> message.setName(name.value()));
        spec.workdir().ifPresent(message::setWorkdir);
        spec.policy().ifPresent(policy -> message.setNetworkPolicy(NetworkPolicyProto.render(policy)));
        switch (spec.image()) {
            case ImageSource.Recipe(var encoded) -> message.setRecipe(recipe(encoded));
            case ImageSource.Built(var digest) -> message.setImageDigest(digest);
        }
        for (VolumeMount volume : spec.volumes()) {
            message.addVolumesBuilder()
                    .setVolume(volume.volume())
                    .setVersion(volume.version())
                    .setPath(volume.path());
        }
        for (CredentialBinding binding : spec.credentials()) {
            message.addCredentialsBuilder()
                    .addAllHosts(binding.hosts())
                    .setSecret(binding.secret())
                    .setEnv(binding.variable());
        }
        return message.build();
    }

    static dev.slate.api.sandbox.v1.Sandbox render(Sandbox sandbox) {
        EffectivePolicy effective = sandbox.effectivePolicy();
        var message = dev.slate.api.sandbox.v1.Sandbox.newBuilder()
                .setId(sandbox.id().value())
                .setSpec(render(sandbox.spec()))
                .setState(State.valueOf("STATE_" + sandbox.state().word()))
                .setCreatedAt(timestamp(sandbox.times().createdAt()))
                .setExpiresAt(timestamp(sandbox.times().expiresAt()))
                .setEffectivePolicy(NetworkPolicyProto.render(effective.policy()))
                .addAllPolicyEntries(effective.entries())
                .setPolicyGeneration(sandbox.policy().generation());
        sandbox.times().startedAt().ifPresent(at -> message.setStartedAt(timestamp(at)));
        sandbox.times().endedAt().ifPresent(at -> message.setEndedAt(timestamp(at)));
        sandbox.imageDigest().ifPresent(message::setImageDigest);
        end(sandbox.state())
                .ifPresent(end -> message.setCause(dev.slate.api.sandbox.v1.Cause.valueOf(
                                "CAUSE_" + end.cause().name()))
                        .setMessage(end.message()));
        sandbox.mountResults().forEach(result -> message.addMountResults(render(result)));
        return message.build();
    }

    static dev.slate.api.sandbox.v1.MountResult render(MountResult result) {
        return dev.slate.api.sandbox.v1.MountResult.newBuilder()
                .setPath(result.path())
                .setVolume(result.volume())
                .setVersion(result.version())
                .setOutcome(result.outcome())
                .addAllConflicts(result.conflicts())
                .setConflictRef(result.conflictRef())
                .build();
    }

    static MountResult parse(dev.slate.api.sandbox.v1.MountResult message) {
        return new MountResult(
                message.getPath(),
                message.getVolume(),
                message.getVersion(),
                message.getOutcome(),
                message.getConflictsList(),
                message.getConflictRef());
    }

    private static Optional<End> end(SandboxState state) {
        return switch (state) {
            case SandboxState.Coming _, SandboxState.Running _ -> Optional.empty();
            case SandboxState.Terminating(var end) -> Optional.of(end);
            case SandboxState.Ended ended -> Optional.of(ended.end());
        };
    }

    private static ImageSource image(dev.slate.api.sandbox.v1.SandboxSpec message) {
        return switch (message.getImageCase()) {
            case RECIPE -> new ImageSource.Recipe(message.getRecipe().toByteString());
            case IMAGE_DIGEST -> new ImageSource.Built(message.getImageDigest());
            case IMAGE_NOT_SET -> throw PlatformException.invalid("image", "none", "a recipe or an image digest");
        };
    }

    private static CredentialBinding credential(dev.slate.api.sandbox.v1.CredentialBinding message) {
        return new CredentialBinding(
                message.getHostsList(),
                message.getSecret(),
                message.getEnv().isEmpty() ? message.getSecret() : message.getEnv());
    }

    private static Resources resources(dev.slate.api.sandbox.v1.SandboxSpec message) {
        Resources usual = Resources.DEFAULT;
        return new Resources(
                message.getCpuMillis() == 0 ? usual.cpuMillis() : message.getCpuMillis(),
                message.getMemoryBytes() == 0 ? usual.memoryBytes() : message.getMemoryBytes(),
                message.getPids() == 0 ? usual.pids() : message.getPids());
    }

    private static Duration duration(com.google.protobuf.Duration message) {
        if (!Durations.isValid(message)) {
            throw PlatformException.invalid("lifetime", message.getSeconds() + "s", "1 second or more");
        }
        return Duration.ofSeconds(message.getSeconds(), message.getNanos());
    }

    private static Recipe recipe(com.google.protobuf.ByteString encoded) {
        try {
            return Recipe.parseFrom(encoded);
        } catch (InvalidProtocolBufferException damaged) {
            throw new IllegalStateException("a stored recipe cannot be read", damaged);
        }
    }

    private static Timestamp timestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }
}
