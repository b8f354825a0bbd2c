package dev.slate.controlplane.sandbox;

import dev.slate.api.egress.v1.EgressControlGrpc;
import dev.slate.api.egress.v1.ListConnectionsRequest;
import dev.slate.api.egress.v1.ListConnectionsResponse;
import dev.slate.api.egress.v1.TestPolicyRequest;
import dev.slate.api.sandbox.v1.AllowForAWhileRequest;
import dev.slate.api.sandbox.v1.AllowForAWhileResponse;
import dev.slate.api.sandbox.v1.CreateSandboxRequest;
import dev.slate.api.sandbox.v1.CreateSandboxResponse;
import dev.slate.api.sandbox.v1.GetSandboxRequest;
import dev.slate.api.sandbox.v1.GetSandboxResponse;
import dev.slate.api.sandbox.v1.ListEgressRequest;
import dev.slate.api.sandbox.v1.ListEgressResponse;
import dev.slate.api.sandbox.v1.ListSandboxesRequest;
import dev.slate.api.sandbox.v1.ListSandboxesResponse;
import dev.slate.api.sandbox.v1.TerminateSandboxRequest;
import dev.slate.api.sandbox.v1.TerminateSandboxResponse;
import dev.slate.api.sandbox.v1.TestNetworkPolicyRequest;
import dev.slate.api.sandbox.v1.TestNetworkPolicyResponse;
import dev.slate.api.sandbox.v1.UpdateNetworkPolicyRequest;
import dev.slate.api.sandbox.v1.UpdateNetworkPolicyResponse;
import dev.slate.api.sandbox.v1.WatchSandboxRequest;
import dev.slate.api.sandbox.v1.WatchSandboxResponse;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.InternalApi;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.grpc.Replies;
import dev.slate.common.grpc.RequestDigest;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.common.grpc.Timestamps;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.sandbox.SandboxRecords.CreationRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Sandboxes over gRPC. */
@GrpcService
class SandboxesGrpc extends dev.slate.api.sandbox.v1.SandboxesGrpc.SandboxesImplBase {
    private static final Duration WATCH_PULSE = Duration.ofSeconds(1);

    private final SandboxLifecycle lifecycle;
    private final SandboxPolicies policies;
    private final SandboxLookup lookup;
    private final SandboxReconciler reconciler;
    private final EgressControlGrpc.EgressControlBlockingStub egress;

    SandboxesGrpc(
            SandboxLifecycle lifecycle,
            SandboxPolicies policies,
            SandboxLookup lookup,
            SandboxReconciler reconciler,
            @InternalApi Channel channel) {
        this.lifecycle = lifecycle;
        this.policies = policies;
        this.lookup = lookup;
        this.reconciler = reconciler;
        this.egress = EgressControlGrpc.newBlockingStub(channel);
    }

    @Override
    public void createSandbox(CreateSandboxRequest request, StreamObserver<CreateSandboxResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            CreationRequest creation = new CreationRequest(request.getRequestId(), RequestDigest.of(request.getSpec()));
            Sandbox created = lifecycle.create(Caller.current(), SandboxProto.parse(request.getSpec()), creation);
            return CreateSandboxResponse.newBuilder()
                    .setSandbox(SandboxProto.render(created))
                    .build();
        });
    }

    @Override
    public void watchSandbox(WatchSandboxRequest request, StreamObserver<WatchSandboxResponse> observer) {
        GrpcCalls.stream(observer, replies -> {
            Sandbox sandbox = lookup.findAny(Caller.current().require(Permission.DEPLOY_READ), request.getSandbox());
            Optional<LiveSandbox> live = reconciler.find(sandbox.id());
            if (live.isEmpty()) {
                replies.send(state(sandbox));
                return;
            }
            follow(live.get(), request.getUntilEnd(), replies);
        });
    }

    @Override
    public void getSandbox(GetSandboxRequest request, StreamObserver<GetSandboxResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Sandbox sandbox = lifecycle.get(Caller.current(), request.getSandbox());
            return GetSandboxResponse.newBuilder()
                    .setSandbox(SandboxProto.render(sandbox))
                    .build();
        });
    }

    @Override
    public void listSandboxes(ListSandboxesRequest request, StreamObserver<ListSandboxesResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            PageRequest page = PageRequest.of(request.getPageSize(), request.getPageToken());
            List<Sandbox> found = lookup.list(Caller.current(), request.getAll(), TimeCursor.of(page), page.fetch());
            PageRequest.Page<Sandbox> result = page.page(
                    found,
                    sandbox -> new TimeCursor(
                                    sandbox.times().createdAt(), sandbox.id().value())
                            .key());
            return ListSandboxesResponse.newBuilder()
                    .addAllSandboxes(
                            result.entries().stream().map(SandboxProto::render).toList())
                    .setNextPageToken(result.nextToken())
                    .build();
        });
    }

    @Override
    public void terminateSandbox(TerminateSandboxRequest request, StreamObserver<TerminateSandboxResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Sandbox ended = lifecycle.terminate(Caller.current(), request.getSandbox());
            return TerminateSandboxResponse.newBuilder()
                    .setSandbox(SandboxProto.render(ended))
                    .build();
        });
    }

    @Override
    public void updateNetworkPolicy(
            UpdateNetworkPolicyRequest request, StreamObserver<UpdateNetworkPolicyResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Sandbox changed = policies.replace(
                    Caller.current(), request.getSandbox(), NetworkPolicyProto.parse(request.getNetworkPolicy()));
            return UpdateNetworkPolicyResponse.newBuilder()
                    .setSandbox(SandboxProto.render(changed))
                    .setGeneration(changed.policy().generation())
                    .build();
        });
    }

    @Override
    public void allowForAWhile(AllowForAWhileRequest request, StreamObserver<AllowForAWhileResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Duration duration = Duration.ofSeconds(
                    request.getDuration().getSeconds(), request.getDuration().getNanos());
            SandboxPolicies.Granted granted =
                    policies.allow(Caller.current(), request.getSandbox(), request.getDestination(), duration);
            return AllowForAWhileResponse.newBuilder()
                    .setSandbox(SandboxProto.render(granted.sandbox()))
                    .setGeneration(granted.sandbox().policy().generation())
                    .setExpiresAt(Timestamps.of(granted.grant().expiresAt()))
                    .build();
        });
    }

    @Override
    public void testNetworkPolicy(
            TestNetworkPolicyRequest request, StreamObserver<TestNetworkPolicyResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.DEPLOY_READ);
            var asked = TestPolicyRequest.newBuilder().setQuestion(request.getQuestion());
            switch (request.getSubjectCase()) {
                case SANDBOX -> ask(asked, lookup.find(caller, request.getSandbox()));
                case NETWORK_POLICY -> asked.setPolicy(request.getNetworkPolicy());
                case SUBJECT_NOT_SET ->
                    throw PlatformException.invalid("subject", "none", "a sandbox or a network policy");
            }
            try {
                return TestNetworkPolicyResponse.newBuilder()
                        .setAnswer(egress.testPolicy(asked.build()).getAnswer())
                        .build();
            } catch (StatusRuntimeException failure) {
                throw GrpcErrors.fromStatus(failure);
            }
        });
    }

    @Override
    public void listEgress(ListEgressRequest request, StreamObserver<ListEgressResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Sandbox sandbox = lookup.findAny(Caller.current().require(Permission.DEPLOY_READ), request.getSandbox());
            try {
                ListConnectionsResponse page = egress.listConnections(ListConnectionsRequest.newBuilder()
                        .setSandboxId(sandbox.id().value())
                        .setPageSize(request.getPageSize())
                        .setPageToken(request.getPageToken())
                        .build());
                return ListEgressResponse.newBuilder()
                        .addAllConnections(page.getConnectionsList())
                        .setNextPageToken(page.getNextPageToken())
                        .build();
            } catch (StatusRuntimeException failure) {
                throw GrpcErrors.fromStatus(failure);
            }
        });
    }

    /** One that runs is asked about what is in force at the proxy, one that does not yet about what will be. */
    private static void ask(TestPolicyRequest.Builder question, Sandbox sandbox) {
        if (sandbox.state() instanceof SandboxState.Running) {
            question.setSandboxId(sandbox.id().value());
        } else {
            question.setPolicy(
                    NetworkPolicyProto.render(sandbox.effectivePolicy().policy()));
        }
    }

    private static void follow(LiveSandbox live, boolean untilEnd, Replies<WatchSandboxResponse> replies) {
        long seen = 0;
        boolean over = false;
        while (!over && !replies.cancelled()) {
            LiveSandbox.Batch batch;
            try {
                batch = live.after(seen, WATCH_PULSE);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
            seen = batch.seen();
            for (LiveSandbox.Event event : batch.events()) {
                switch (event) {
                    case LiveSandbox.Event.Build(var build) ->
                        replies.send(WatchSandboxResponse.newBuilder()
                                .setBuild(build)
                                .build());
                    case LiveSandbox.Event.State(var sandbox) -> {
                        replies.send(state(sandbox));
                        over |= sandbox.state() instanceof SandboxState.Ended
                                || (!untilEnd && sandbox.state() instanceof SandboxState.Running);
                    }
                }
            }
        }
    }

    private static WatchSandboxResponse state(Sandbox sandbox) {
        return WatchSandboxResponse.newBuilder()
                .setSandbox(SandboxProto.render(sandbox))
                .build();
    }
}
