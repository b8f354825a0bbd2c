package dev.slate.testing;

import dev.slate.api.egress.v1.AccessAnswer;
import dev.slate.api.egress.v1.Connection;
import dev.slate.api.egress.v1.PolicyEntry;
import dev.slate.api.image.v1.BuildEvent;
import dev.slate.api.image.v1.BuildPhase;
import dev.slate.api.sandbox.v1.AllowForAWhileRequest;
import dev.slate.api.sandbox.v1.AllowForAWhileResponse;
import dev.slate.api.sandbox.v1.Cause;
import dev.slate.api.sandbox.v1.CreateSandboxRequest;
import dev.slate.api.sandbox.v1.CreateSandboxResponse;
import dev.slate.api.sandbox.v1.GetSandboxRequest;
import dev.slate.api.sandbox.v1.GetSandboxResponse;
import dev.slate.api.sandbox.v1.ListEgressRequest;
import dev.slate.api.sandbox.v1.ListEgressResponse;
import dev.slate.api.sandbox.v1.ListSandboxesRequest;
import dev.slate.api.sandbox.v1.ListSandboxesResponse;
import dev.slate.api.sandbox.v1.Sandbox;
import dev.slate.api.sandbox.v1.SandboxesGrpc;
import dev.slate.api.sandbox.v1.State;
import dev.slate.api.sandbox.v1.TerminateSandboxRequest;
import dev.slate.api.sandbox.v1.TerminateSandboxResponse;
import dev.slate.api.sandbox.v1.TestNetworkPolicyRequest;
import dev.slate.api.sandbox.v1.TestNetworkPolicyResponse;
import dev.slate.api.sandbox.v1.UpdateNetworkPolicyRequest;
import dev.slate.api.sandbox.v1.UpdateNetworkPolicyResponse;
import dev.slate.api.sandbox.v1.WatchSandboxRequest;
import dev.slate.api.sandbox.v1.WatchSandboxResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** A sandbox runs as soon as it is watched; one named {@code broken} fails. Guarded by its own lock. */
final class FakeSandboxes extends SandboxesGrpc.SandboxesImplBase {

    private final Map<String, Sandbox> sandboxes = new LinkedHashMap<>();

    @Override
    public synchronized void createSandbox(
            CreateSandboxRequest request, StreamObserver<CreateSandboxResponse> observer) {
        Fakes.reply(observer, () -> {
            var spec = request.getSpec();
            if (sandboxes.values().stream()
                    .anyMatch(sandbox ->
                            live(sandbox) && sandbox.getSpec().getName().equals(spec.getName()))) {
                throw Fakes.failure(
                        Status.ALREADY_EXISTS, "ALREADY_EXISTS", "a sandbox named " + spec.getName() + " runs already");
            }
            var sandbox = Sandbox.newBuilder()
                    .setId(UUID.nameUUIDFromBytes(request.getRequestId().getBytes(StandardCharsets.UTF_8))
                            .toString())
                    .setSpec(spec)
                    .setState(State.STATE_PENDING)
                    .setEffectivePolicy(spec.getNetworkPolicy())
                    .setCreatedAt(Fakes.TIME)
                    .build();
            sandboxes.put(sandbox.getId(), sandbox);
            return CreateSandboxResponse.newBuilder().setSandbox(sandbox).build();
        });
    }

    @Override
    public synchronized void watchSandbox(WatchSandboxRequest request, StreamObserver<WatchSandboxResponse> observer) {
        var sandbox = find(request.getSandbox());
        observer.onNext(WatchSandboxResponse.newBuilder().setSandbox(sandbox).build());
        observer.onNext(WatchSandboxResponse.newBuilder()
                .setBuild(
                        BuildEvent.newBuilder().setPhase(BuildPhase.newBuilder().setMessage("base")))
                .build());
        var broken = sandbox.getSpec().getName().equals("broken");
        var next = sandbox.toBuilder()
                .setState(broken ? State.STATE_FAILED : State.STATE_RUNNING)
                .setCause(broken ? Cause.CAUSE_IMAGE : Cause.CAUSE_UNSPECIFIED)
                .setMessage(broken ? "no such base" : "")
                .build();
        sandboxes.put(next.getId(), next);
        observer.onNext(WatchSandboxResponse.newBuilder().setSandbox(next).build());
        observer.onCompleted();
    }

    @Override
    public synchronized void getSandbox(GetSandboxRequest request, StreamObserver<GetSandboxResponse> observer) {
        Fakes.reply(
                observer,
                () -> GetSandboxResponse.newBuilder()
                        .setSandbox(find(request.getSandbox()))
                        .build());
    }

    @Override
    public synchronized void listSandboxes(
            ListSandboxesRequest request, StreamObserver<ListSandboxesResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListSandboxesResponse.newBuilder()
                        .addAllSandboxes(sandboxes.values().stream()
                                .filter(sandbox -> request.getAll() || live(sandbox))
                                .toList())
                        .build());
    }

    @Override
    public synchronized void terminateSandbox(
            TerminateSandboxRequest request, StreamObserver<TerminateSandboxResponse> observer) {
        Fakes.reply(observer, () -> {
            var ended = find(request.getSandbox()).toBuilder()
                    .setState(State.STATE_TERMINATED)
                    .setCause(Cause.CAUSE_USER)
                    .build();
            sandboxes.put(ended.getId(), ended);
            return TerminateSandboxResponse.newBuilder().setSandbox(ended).build();
        });
    }

    @Override
    public synchronized void updateNetworkPolicy(
            UpdateNetworkPolicyRequest request, StreamObserver<UpdateNetworkPolicyResponse> observer) {
        Fakes.reply(observer, () -> {
            var changed = find(request.getSandbox()).toBuilder()
                    .setEffectivePolicy(request.getNetworkPolicy())
                    .build();
            sandboxes.put(changed.getId(), changed);
            return UpdateNetworkPolicyResponse.newBuilder()
                    .setSandbox(changed)
                    .setGeneration(2)
                    .build();
        });
    }

    @Override
    public synchronized void allowForAWhile(
            AllowForAWhileRequest request, StreamObserver<AllowForAWhileResponse> observer) {
        Fakes.reply(observer, () -> {
            var end = Fakes.TIME.toBuilder()
                    .setSeconds(Fakes.TIME.getSeconds() + request.getDuration().getSeconds())
                    .build();
            var changed = find(request.getSandbox()).toBuilder()
                    .addPolicyEntries(PolicyEntry.newBuilder()
                            .setEntry(request.getDestination())
                            .setKind("host")
                            .setSource("grant")
                            .setExpiresAt(end))
                    .build();
            sandboxes.put(changed.getId(), changed);
            return AllowForAWhileResponse.newBuilder()
                    .setSandbox(changed)
                    .setExpiresAt(end)
                    .build();
        });
    }

    /** Allows what the policy lists, word for word. */
    @Override
    public synchronized void testNetworkPolicy(
            TestNetworkPolicyRequest request, StreamObserver<TestNetworkPolicyResponse> observer) {
        Fakes.reply(observer, () -> {
            var policy = request.hasNetworkPolicy()
                    ? request.getNetworkPolicy()
                    : find(request.getSandbox()).getEffectivePolicy();
            var host = request.getQuestion().getHost();
            var allowed = policy.getAllowedHostsList().contains(host);
            return TestNetworkPolicyResponse.newBuilder()
                    .setAnswer(AccessAnswer.newBuilder()
                            .setDecision(allowed ? "allowed" : "denied")
                            .setReason(allowed ? "" : "host_not_allowed")
                            .setRule(allowed ? host : "none")
                            .setMode(allowed ? "splice" : "deny"))
                    .build();
        });
    }

    @Override
    public synchronized void listEgress(ListEgressRequest request, StreamObserver<ListEgressResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListEgressResponse.newBuilder()
                        .addConnections(Connection.newBuilder()
                                .setOpenedAt(Fakes.TIME)
                                .setProtocol("tls")
                                .setMode("deny")
                                .setHost("evil.example.com")
                                .setPort(443)
                                .setDecision("denied")
                                .setReason("host_not_allowed"))
                        .build());
    }

    private Sandbox find(String idOrName) {
        return sandboxes.values().stream()
                .filter(sandbox -> sandbox.getId().equals(idOrName)
                        || (live(sandbox) && sandbox.getSpec().getName().equals(idOrName)))
                .findFirst()
                .orElseThrow(() -> Fakes.notFound("sandbox " + idOrName));
    }

    private static boolean live(Sandbox sandbox) {
        return sandbox.getState() != State.STATE_TERMINATED && sandbox.getState() != State.STATE_FAILED;
    }
}
