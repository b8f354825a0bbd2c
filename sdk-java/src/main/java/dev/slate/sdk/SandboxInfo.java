package dev.slate.sdk;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox as it was when asked. Has as many parts as a sandbox has visible properties.
 *
 * @param name empty when it has none
 * @param message says more about the end
 * @param policy what is in force, hosts of credentials included
 * @param policyEntries the same, with why each entry is there
 * @param policyGeneration rises with each change of the policy
 * @param imageDigest empty until the image is known
 * @param mountResults known after the end
 */
public record SandboxInfo(
        String id,
        String name,
        SandboxState state,
        EndCause cause,
        String message,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> endedAt,
        Optional<Instant> expiresAt,
        NetworkPolicy policy,
        List<PolicyEntry> policyEntries,
        long policyGeneration,
        String imageDigest,
        int cpuMillis,
        long memoryBytes,
        Optional<Duration> lifetime,
        List<VolumeMount> volumes,
        Map<String, String> tags,
        List<MountResult> mountResults) {

    static SandboxInfo of(dev.slate.api.sandbox.v1.Sandbox sandbox) {
        var spec = sandbox.getSpec();
        return new SandboxInfo(
                sandbox.getId(),
                spec.getName(),
                SandboxState.of(sandbox.getState()),
                EndCause.of(sandbox.getCause()),
                sandbox.getMessage(),
                Wire.instant(sandbox.getCreatedAt()),
                Wire.optional(sandbox.hasStartedAt(), sandbox.getStartedAt()),
                Wire.optional(sandbox.hasEndedAt(), sandbox.getEndedAt()),
                Wire.optional(sandbox.hasExpiresAt(), sandbox.getExpiresAt()),
                NetworkPolicy.of(sandbox.getEffectivePolicy()),
                sandbox.getPolicyEntriesList().stream().map(PolicyEntry::of).toList(),
                sandbox.getPolicyGeneration(),
                sandbox.getImageDigest(),
                spec.getCpuMillis(),
                spec.getMemoryBytes(),
                spec.hasLifetime() ? Optional.of(Wire.duration(spec.getLifetime())) : Optional.empty(),
                spec.getVolumesList().stream()
                        .map(mount -> new VolumeMount(mount.getVolume(), mount.getVersion(), mount.getPath()))
                        .toList(),
                Map.copyOf(spec.getTagsMap()),
                sandbox.getMountResultsList().stream().map(MountResult::of).toList());
    }
}
