package dev.slate.controlplane.sandbox;

import com.google.protobuf.ByteString;
import dev.slate.api.egress.v1.CheckPolicyRequest;
import dev.slate.api.egress.v1.CheckPolicyResponse;
import dev.slate.api.egress.v1.EgressControlGrpc;
import dev.slate.api.egress.v1.GetTrustRequest;
import dev.slate.api.egress.v1.GetTrustResponse;
import dev.slate.api.egress.v1.ListSandboxesRequest;
import dev.slate.api.egress.v1.PutSandboxRequest;
import dev.slate.api.egress.v1.PutSandboxResponse;
import dev.slate.api.egress.v1.RemoveSandboxRequest;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.InternalApi;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.runtime.SandboxId;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Reaches the egress proxy over gRPC. */
@Singleton
class GrpcEgressGate implements EgressGate {
    private static final String CA = "/.slate/ca.pem";
    private static final String BUNDLE = "/.slate/ca-bundle.pem";

    private final EgressControlGrpc.EgressControlBlockingStub proxy;

    GrpcEgressGate(@InternalApi Channel channel) {
        this.proxy = EgressControlGrpc.newBlockingStub(channel);
    }

    @Override
    public void put(Entry entry) {
        var request = PutSandboxRequest.newBuilder()
                .setSandboxId(entry.id().value())
                .setSourceAddress(entry.address())
                .setGeneration(entry.generation())
                .setPolicy(NetworkPolicyProto.render(entry.policy()));
        entry.credentials().forEach(credential -> request.addCredentials(render(credential)));
        PutSandboxResponse reply = call(() -> proxy.putSandbox(request.build()));
        if (reply.getGeneration() < entry.generation()) {
            throw new PlatformException(
                    ErrorCode.UNAVAILABLE,
                    "policy generation: %d is in force (expected: %d)"
                            .formatted(reply.getGeneration(), entry.generation()));
        }
    }

    @Override
    public Checked check(NetworkPolicy policy, List<String> credentialHosts) {
        CheckPolicyResponse reply = call(() -> proxy.checkPolicy(CheckPolicyRequest.newBuilder()
                .setPolicy(NetworkPolicyProto.render(policy))
                .addAllCredentialHosts(credentialHosts)
                .build()));
        return new Checked(NetworkPolicyProto.parse(reply.getPolicy()), reply.getCredentialHostsList());
    }

    @Override
    public void remove(SandboxId id) {
        var _ = call(() -> proxy.removeSandbox(
                RemoveSandboxRequest.newBuilder().setSandboxId(id.value()).build()));
    }

    @Override
    public Set<String> list() {
        return call(() -> proxy.listSandboxes(ListSandboxesRequest.getDefaultInstance())).getSandboxesList().stream()
                .map(dev.slate.api.egress.v1.SandboxInForce::getSandboxId)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Trust trust() {
        GetTrustResponse reply = call(() -> proxy.getTrust(GetTrustRequest.getDefaultInstance()));
        Map<String, String> variables = new HashMap<>();
        reply.getEnvironmentMap().forEach((name, value) -> variables.put(name, resolve(value)));
        return new Trust(
                Map.of(CA, Path.of(reply.getCaPemPath()), BUNDLE, Path.of(reply.getBundlePemPath())), variables);
    }

    private static String resolve(String value) {
        return switch (value) {
            case "ca" -> CA;
            case "bundle" -> BUNDLE;
            default -> {
                if (!value.startsWith("=")) {
                    throw new IllegalStateException("trust variable: " + value + " (expected: ca, bundle or =literal)");
                }
                yield value.substring(1);
            }
        };
    }

    private static dev.slate.api.egress.v1.Credential render(Credential credential) {
        var message = dev.slate.api.egress.v1.Credential.newBuilder()
                .setName(credential.secret())
                .setPlaceholder(credential.placeholder())
                .addAllHosts(credential.hosts())
                .setUnavailable(credential.value().isEmpty());
        credential.value().ifPresent(value -> message.setValue(ByteString.copyFrom(value.reveal())));
        return message.build();
    }

    private static <T> T call(Supplier<T> body) {
        try {
            return body.get();
        } catch (StatusRuntimeException failure) {
            throw GrpcErrors.fromStatus(failure);
        }
    }
}
