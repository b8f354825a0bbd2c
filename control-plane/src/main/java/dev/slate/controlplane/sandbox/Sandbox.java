package dev.slate.controlplane.sandbox;

import dev.slate.controlplane.policy.EffectivePolicy;
import dev.slate.controlplane.policy.Grant;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A sandbox as it is known now. Immutable: a change makes another value. */
public record Sandbox(
        SandboxId id,
        String environment,
        SandboxSpec spec,
        SandboxState state,
        Times times,
        PolicyInForce policy,
        Map<String, String> placeholders,
        Optional<String> imageDigest,
        List<MountResult> mountResults) {
    public Sandbox {
        placeholders = Map.copyOf(placeholders);
        mountResults = List.copyOf(mountResults);
    }

    /** What a user calls it: its name, or else its id. */
    public String label() {
        return spec.name().map(SandboxName::value).orElse(id.value());
    }

    /** What it may reach, credential hosts and grants included. */
    public EffectivePolicy effectivePolicy() {
        return new EffectivePolicy(policy.asked(), spec.credentialHosts(), policy.grants());
    }

    /** One line about its state, and if it is over, why. */
    public String describe() {
        String about = switch (state) {
            case SandboxState.Coming _, SandboxState.Running _ -> "";
            case SandboxState.Terminating(var end) -> end.describe();
            case SandboxState.Ended ended -> ended.end().describe();
        };
        return "sandbox %s is %s%s".formatted(label(), state.word(), about.isEmpty() ? "" : " (" + about + ")");
    }

    Sandbox in(SandboxState next) {
        Optional<String> digest = switch (next) {
            case SandboxState.Starting(var image) -> Optional.of(image);
            case SandboxState.Running(var image, var _) -> Optional.of(image);
            case SandboxState.Pending _, SandboxState.Building _, SandboxState.Terminating _ -> imageDigest;
            case SandboxState.Ended _ -> imageDigest;
        };
        Times then = times.in(next, spec.lifetime());
        return new Sandbox(id, environment, spec, next, then, policy, placeholders, digest, mountResults);
    }

    Sandbox with(List<MountResult> results) {
        return new Sandbox(id, environment, spec, state, times, policy, placeholders, imageDigest, results);
    }

    Sandbox with(PolicyInForce changed) {
        return new Sandbox(id, environment, spec, state, times, changed, placeholders, imageDigest, mountResults);
    }

    /** When things happened, and when the sandbox will be ended. */
    public record Times(Instant createdAt, Optional<Instant> startedAt, Optional<Instant> endedAt, Instant expiresAt) {
        /** The lifetime counts from when commands work, so that a slow image build takes nothing off it. */
        Times in(SandboxState next, Duration lifetime) {
            return switch (next) {
                case SandboxState.Running(var _, var at) ->
                    new Times(createdAt, Optional.of(at), endedAt, at.plus(lifetime));
                case SandboxState.Ended ended ->
                    new Times(createdAt, startedAt, Optional.of(ended.endedAt()), expiresAt);
                case SandboxState.Coming _, SandboxState.Terminating _ -> this;
            };
        }
    }

    /** The policy a user asked for last, what was granted beside it, and how often that was changed. */
    public record PolicyInForce(Optional<NetworkPolicy> asked, List<Grant> grants, long generation) {
        public PolicyInForce {
            grants = List.copyOf(grants);
        }
    }
}
