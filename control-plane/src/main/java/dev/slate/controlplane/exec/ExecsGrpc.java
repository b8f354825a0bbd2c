package dev.slate.controlplane.exec;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Timestamp;
import dev.slate.api.exec.v1.AttachExecRequest;
import dev.slate.api.exec.v1.Exec;
import dev.slate.api.exec.v1.ExecEvent;
import dev.slate.api.exec.v1.ListExecsRequest;
import dev.slate.api.exec.v1.ListExecsResponse;
import dev.slate.api.exec.v1.ResizeExecRequest;
import dev.slate.api.exec.v1.ResizeExecResponse;
import dev.slate.api.exec.v1.SignalExecRequest;
import dev.slate.api.exec.v1.SignalExecResponse;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.api.exec.v1.WriteStdinRequest;
import dev.slate.api.exec.v1.WriteStdinResponse;
import dev.slate.common.auth.Caller;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.Replies;
import dev.slate.controlplane.agent.AgentClient;
import dev.slate.controlplane.agent.ExecStream;
import dev.slate.controlplane.agent.ExecSummary;
import dev.slate.controlplane.agent.SignalScope;
import dev.slate.controlplane.exec.RunningSandboxes.Reached;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.time.Clock;
import java.time.Instant;
import org.jboss.logging.Logger;

/** Commands in sandboxes over gRPC. A client that goes away leaves its command running. */
@GrpcService
class ExecsGrpc extends dev.slate.api.exec.v1.ExecsGrpc.ExecsImplBase {
    private static final Logger LOG = Logger.getLogger(ExecsGrpc.class);
    private static final int MOST_STDIN = 1 << 20;

    private final RunningSandboxes sandboxes;
    private final Clock clock;

    ExecsGrpc(RunningSandboxes sandboxes, Clock clock) {
        this.sandboxes = sandboxes;
        this.clock = clock;
    }

    @Override
    public void startExec(StartExecRequest request, StreamObserver<ExecEvent> observer) {
        GrpcCalls.stream(observer, replies -> {
            requireSmall(request.getStdin().size());
            Reached sandbox = sandboxes.reach(Caller.current(), request.getSandbox());
            try (ExecStream stream = startOrAttach(sandbox, request)) {
                pass(sandbox, request.getExecId(), stream, replies);
            }
        });
    }

    @Override
    public void attachExec(AttachExecRequest request, StreamObserver<ExecEvent> observer) {
        GrpcCalls.stream(observer, replies -> {
            Reached sandbox = sandboxes.reach(Caller.current(), request.getSandbox());
            try (ExecStream stream = sandbox.agent().attach(request.getExecId(), request.getFromSequence())) {
                pass(sandbox, request.getExecId(), stream, replies);
            }
        });
    }

    @Override
    public void writeStdin(WriteStdinRequest request, StreamObserver<WriteStdinResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            requireSmall(request.getData().size());
            AgentClient agent =
                    sandboxes.reach(Caller.current(), request.getSandbox()).agent();
            if (!request.getData().isEmpty()) {
                agent.writeStdin(request.getExecId(), request.getData().toByteArray());
            }
            if (request.getClose()) {
                agent.closeStdin(request.getExecId());
            }
            return WriteStdinResponse.getDefaultInstance();
        });
    }

    @Override
    public void signalExec(SignalExecRequest request, StreamObserver<SignalExecResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            int signal = Signals.number(request.getSignal());
            sandboxes
                    .reach(Caller.current(), request.getSandbox())
                    .agent()
                    .signal(
                            request.getExecId(),
                            signal,
                            request.getTree() ? SignalScope.TREE : SignalScope.MAIN_PROCESS);
            return SignalExecResponse.getDefaultInstance();
        });
    }

    @Override
    public void resizeExec(ResizeExecRequest request, StreamObserver<ResizeExecResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            sandboxes
                    .reach(Caller.current(), request.getSandbox())
                    .agent()
                    .resize(request.getExecId(), ExecProto.size(request.getSize()));
            return ResizeExecResponse.getDefaultInstance();
        });
    }

    @Override
    public void listExecs(ListExecsRequest request, StreamObserver<ListExecsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Reached sandbox = sandboxes.reach(Caller.current(), request.getSandbox());
            ListExecsResponse.Builder reply = ListExecsResponse.newBuilder();
            sandbox.agent().list().forEach(summary -> reply.addExecs(render(sandbox, summary)));
            return reply.build();
        });
    }

    /** Starts a command; when its id is known already, its log is read from the start instead. */
    private static ExecStream startOrAttach(Reached sandbox, StartExecRequest request) {
        ExecStream stream;
        try {
            stream = sandbox.agent().start(ExecProto.request(request, sandbox.commands()));
        } catch (PlatformException failure) {
            if (failure.code() != ErrorCode.ALREADY_EXISTS) {
                throw failure;
            }
            return sandbox.agent().attach(request.getExecId(), 0);
        }
        if (!request.getStdin().isEmpty()) {
            // Beside the output: a command may write before it reads.
            var _ = Thread.ofVirtual().name("stdin-" + request.getExecId()).start(() -> feed(sandbox.agent(), request));
        }
        return stream;
    }

    private static void feed(AgentClient agent, StartExecRequest request) {
        try {
            agent.writeStdin(request.getExecId(), request.getStdin().toByteArray());
            if (!request.getStdinOpen()) {
                agent.closeStdin(request.getExecId());
            }
        } catch (PlatformException failure) {
            LOG.debugf(failure, "stdin not taken execId=%s", request.getExecId());
        }
    }

    private void pass(Reached sandbox, String execId, ExecStream stream, Replies<ExecEvent> replies) {
        // A quiet command must not keep a call alive that nobody listens to.
        Context.CancellationListener detach = _ -> stream.close();
        Context context = Context.current();
        context.addListener(detach, MoreExecutors.directExecutor());
        try {
            for (var event = stream.next(); event.isPresent(); event = stream.next()) {
                if (replies.cancelled()) {
                    return;
                }
                replies.send(ExecProto.render(execId, event.get(), why -> sandboxes.reason(sandbox.id(), why)));
            }
        } finally {
            context.removeListener(detach);
        }
    }

    private Exec render(Reached sandbox, ExecSummary summary) {
        Instant started = clock.instant().minus(summary.age());
        Exec.Builder exec = Exec.newBuilder()
                .setExecId(summary.id())
                .addCommand(summary.command())
                .setRunning(!summary.finished())
                .setStartedAt(Timestamp.newBuilder()
                        .setSeconds(started.getEpochSecond())
                        .setNanos(started.getNano()));
        if (summary.finished()) {
            var end = sandbox.agent().attach(summary.id(), summary.nextSequence() - 1, _ -> {});
            exec.setEnded(ExecProto.ended(end, why -> why));
        }
        return exec.build();
    }

    private static void requireSmall(int bytes) {
        if (bytes > MOST_STDIN) {
            throw PlatformException.invalid("stdin", bytes + " bytes", "at most 1 MiB in one call");
        }
    }
}
