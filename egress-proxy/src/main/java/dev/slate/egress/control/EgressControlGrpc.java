package dev.slate.egress.control;

import dev.slate.api.egress.v1.CheckPolicyRequest;
import dev.slate.api.egress.v1.CheckPolicyResponse;
import dev.slate.api.egress.v1.EgressControlGrpc.EgressControlImplBase;
import dev.slate.api.egress.v1.GetTrustRequest;
import dev.slate.api.egress.v1.GetTrustResponse;
import dev.slate.api.egress.v1.ListConnectionsRequest;
import dev.slate.api.egress.v1.ListConnectionsResponse;
import dev.slate.api.egress.v1.ListSandboxesRequest;
import dev.slate.api.egress.v1.ListSandboxesResponse;
import dev.slate.api.egress.v1.PutSandboxRequest;
import dev.slate.api.egress.v1.PutSandboxResponse;
import dev.slate.api.egress.v1.RemoveSandboxRequest;
import dev.slate.api.egress.v1.RemoveSandboxResponse;
import dev.slate.api.egress.v1.TestPolicyRequest;
import dev.slate.api.egress.v1.TestPolicyResponse;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.PageRequest;
import io.grpc.stub.StreamObserver;

/** The internal API of the proxy. */
final class EgressControlGrpc extends EgressControlImplBase {

    private final EgressControl control;

    EgressControlGrpc(EgressControl control) {
        this.control = control;
    }

    @Override
    public void putSandbox(PutSandboxRequest request, StreamObserver<PutSandboxResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            var sandbox = EgressMessages.sandbox(request);
            try {
                control.put(sandbox);
            } catch (IllegalStateException e) {
                throw new PlatformException(ErrorCode.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e);
            }
            return PutSandboxResponse.newBuilder()
                    .setGeneration(sandbox.generation())
                    .build();
        });
    }

    @Override
    public void removeSandbox(RemoveSandboxRequest request, StreamObserver<RemoveSandboxResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            control.remove(request.getSandboxId());
            return RemoveSandboxResponse.getDefaultInstance();
        });
    }

    @Override
    public void listSandboxes(ListSandboxesRequest request, StreamObserver<ListSandboxesResponse> observer) {
        GrpcCalls.unary(
                observer,
                () -> ListSandboxesResponse.newBuilder()
                        .addAllSandboxes(control.sandboxes().stream()
                                .map(EgressMessages::inForce)
                                .toList())
                        .build());
    }

    @Override
    public void listConnections(ListConnectionsRequest request, StreamObserver<ListConnectionsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            var wanted = PageRequest.of(request.getPageSize(), request.getPageToken());
            var after = EgressMessages.sequence(wanted.after());
            var page = wanted.page(
                    control.connections(EgressMessages.sandboxId(request.getSandboxId()), after, wanted.fetch()),
                    entry -> Long.toString(entry.sequence()));
            return ListConnectionsResponse.newBuilder()
                    .addAllConnections(page.entries().stream()
                            .map(EgressMessages::connection)
                            .toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    @Override
    public void getTrust(GetTrustRequest request, StreamObserver<GetTrustResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            var trust = control.trust();
            return GetTrustResponse.newBuilder()
                    .setCaPemPath(trust.authorityFile().toString())
                    .setBundlePemPath(trust.bundleFile().toString())
                    .putAllEnvironment(trust.environment())
                    .build();
        });
    }

    @Override
    public void checkPolicy(CheckPolicyRequest request, StreamObserver<CheckPolicyResponse> observer) {
        GrpcCalls.unary(observer, () -> EgressMessages.parse(request, PolicyMessages::check));
    }

    @Override
    public void testPolicy(TestPolicyRequest request, StreamObserver<TestPolicyResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            var sandbox = switch (request.getSubjectCase()) {
                case SANDBOX_ID ->
                    control.find(request.getSandboxId())
                            .orElseThrow(
                                    () -> PlatformException.notFound("sandbox at the proxy", request.getSandboxId()));
                case POLICY -> EgressMessages.parse(request.getPolicy(), EgressMessages::imagined);
                case SUBJECT_NOT_SET ->
                    throw PlatformException.invalid("subject", "none", "a sandbox or a network policy");
            };
            var answer = EgressMessages.parse(
                    request.getQuestion(), question -> control.test().answer(sandbox, question));
            return TestPolicyResponse.newBuilder().setAnswer(answer).build();
        });
    }
}
