package dev.slate.controlplane.sandbox;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.slate.api.egress.v1.PolicyEntry;
import dev.slate.api.sandbox.v1.SandboxSpec;
import dev.slate.common.grpc.Timestamps;
import dev.slate.controlplane.policy.Grant;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.runtime.SandboxId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A sandbox in the database. Confined to one unit of work. */
@Entity
@Table(name = "sandbox")
@SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
class SandboxRow {
    static final String RUNNING = "RUNNING";
    static final String ENDED = "ENDED";

    @Id
    String id;

    @Column(nullable = false)
    String environment;

    @Nullable
    String name;

    @Column(name = "request_id", nullable = false)
    String requestId;

    @Column(name = "spec_digest", nullable = false)
    String specDigest;

    @Column(nullable = false)
    byte[] spec;

    @Column(nullable = false)
    String desired;

    @Column(nullable = false)
    String observed;

    @Column(name = "end_cause")
    @Nullable
    String endCause;

    @Column(name = "end_message")
    @Nullable
    String endMessage;

    @Column(name = "created_at", nullable = false)
    Instant createdAt;

    @Column(name = "started_at")
    @Nullable
    Instant startedAt;

    @Column(name = "ended_at")
    @Nullable
    Instant endedAt;

    @Column(name = "expires_at", nullable = false)
    Instant expiresAt;

    @Column(nullable = false)
    boolean released;

    @Column(name = "image_digest")
    @Nullable
    String imageDigest;

    byte @Nullable [] policy;

    @Column(nullable = false)
    byte[] grants;

    /** When the first of the grants ends. */
    @Column(name = "grants_until")
    @Nullable
    Instant grantsUntil;

    @Column(name = "policy_generation", nullable = false)
    long policyGeneration;

    @Column(nullable = false)
    String placeholders;

    @Column(name = "mount_results", nullable = false)
    byte[] mountResults;

    static SandboxRow of(Sandbox sandbox, SandboxRecords.CreationRequest request) {
        SandboxRow row = new SandboxRow();
        row.id = sandbox.id().value();
        row.environment = sandbox.environment();
        row.name = sandbox.spec().name().map(SandboxName::value).orElse(null);
        row.requestId = request.requestId();
        row.specDigest = request.specDigest();
        row.spec = SandboxProto.render(sandbox.spec()).toByteArray();
        row.desired = RUNNING;
        row.observed = sandbox.state().word();
        row.createdAt = sandbox.times().createdAt();
        row.expiresAt = sandbox.times().expiresAt();
        row.policy = sandbox.policy().asked().map(SandboxRow::encode).orElse(null);
        row.setGrants(sandbox.policy().grants());
        row.policyGeneration = sandbox.policy().generation();
        row.placeholders = sandbox.placeholders().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining("\n"));
        row.mountResults = encode(sandbox.mountResults());
        return row;
    }

    Sandbox toSandbox() {
        try {
            return new Sandbox(
                    new SandboxId(id),
                    environment,
                    SandboxProto.parse(SandboxSpec.parseFrom(spec)),
                    state(),
                    new Sandbox.Times(
                            createdAt, Optional.ofNullable(startedAt), Optional.ofNullable(endedAt), expiresAt),
                    new Sandbox.PolicyInForce(decodePolicy(), grants(), policyGeneration),
                    decodePlaceholders(),
                    Optional.ofNullable(imageDigest),
                    dev.slate.api.sandbox.v1.Sandbox.parseFrom(mountResults).getMountResultsList().stream()
                            .map(SandboxProto::parse)
                            .toList());
        } catch (InvalidProtocolBufferException damaged) {
            throw new IllegalStateException("the row of sandbox " + id + " cannot be read", damaged);
        }
    }

    void setGrants(List<Grant> changed) {
        grants = dev.slate.api.sandbox.v1.Sandbox.newBuilder()
                .addAllPolicyEntries(changed.stream()
                        .map(grant -> PolicyEntry.newBuilder()
                                .setEntry(grant.entry())
                                .setDetail(grant.by())
                                .setExpiresAt(Timestamps.of(grant.expiresAt()))
                                .build())
                        .toList())
                .build()
                .toByteArray();
        grantsUntil = changed.stream()
                .map(Grant::expiresAt)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    List<Grant> grants() {
        try {
            return dev.slate.api.sandbox.v1.Sandbox.parseFrom(grants).getPolicyEntriesList().stream()
                    .map(entry -> new Grant(
                            entry.getEntry(),
                            Instant.ofEpochSecond(
                                    entry.getExpiresAt().getSeconds(),
                                    entry.getExpiresAt().getNanos()),
                            entry.getDetail()))
                    .toList();
        } catch (InvalidProtocolBufferException damaged) {
            throw new IllegalStateException("the grants of sandbox " + id + " cannot be read", damaged);
        }
    }

    static byte[] encode(NetworkPolicy policy) {
        return NetworkPolicyProto.render(policy).toByteArray();
    }

    static byte[] encode(List<MountResult> results) {
        return dev.slate.api.sandbox.v1.Sandbox.newBuilder()
                .addAllMountResults(results.stream().map(SandboxProto::render).toList())
                .build()
                .toByteArray();
    }

    private SandboxState state() {
        if (endCause != null) {
            SandboxState.Terminating ending = new SandboxState.Terminating(
                    new End(Cause.valueOf(endCause), endMessage == null ? "" : endMessage));
            return endedAt == null ? ending : ending.ended(endedAt);
        }
        if (startedAt != null && imageDigest != null) {
            return new SandboxState.Running(imageDigest, startedAt);
        }
        SandboxState.Pending pending = new SandboxState.Pending();
        return observed.equals(pending.word()) ? pending : pending.building();
    }

    private Optional<NetworkPolicy> decodePolicy() throws InvalidProtocolBufferException {
        return policy == null
                ? Optional.empty()
                : Optional.of(NetworkPolicyProto.parse(dev.slate.api.egress.v1.NetworkPolicy.parseFrom(policy)));
    }

    private Map<String, String> decodePlaceholders() {
        Map<String, String> decoded = new LinkedHashMap<>();
        placeholders.lines().forEach(line -> {
            int equals = line.indexOf('=');
            decoded.put(line.substring(0, equals), line.substring(equals + 1));
        });
        return decoded;
    }
}
