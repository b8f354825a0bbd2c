package dev.slate.controlplane.exec;

import com.google.common.util.concurrent.MoreExecutors;
import dev.slate.api.exec.v1.AttachExecRequest;
import dev.slate.api.exec.v1.ExecEvent;
import dev.slate.api.exec.v1.GetExecRequest;
import dev.slate.api.exec.v1.GetExecResponse;
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
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.grpc.Replies;
import dev.slate.common.grpc.TimeCursor;
import dev.slate.controlplane.agent.AgentClient;
import dev.slate.controlplane.agent.ExecStream;
import dev.slate.controlplane.agent.SignalScope;
import dev.slate.controlplane.exec.RunningSandboxes.Reached;
import dev.slate.controlplane.sandbox.Sandbox;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Commands in sandboxes over gRPC. A client that goes away leaves its command running. */
@GrpcService
class ExecsGrpc extends dev.slate.api.exec.v1.ExecsGrpc.ExecsImplBase {
    private static final Logger LOG = Logger.getLogger(ExecsGrpc.class);
    private static final int MOST_STDIN = 1 << 20;
    private static final int LARGEST_PAGE = 200;

    private final RunningSandboxes sandboxes;
    private final ExecLogs logs;
    private final Attention attention;
    private final Clock clock;

    ExecsGrpc(RunningSandboxes sandboxes, ExecLogs logs, Attention attention, Clock clock) {
        this.sandboxes = sandboxes;
        this.logs = logs;
        this.attention = attention;
        this.clock = clock;
    }

    @Override
    public void startExec(StartExecRequest request, StreamObserver<ExecEvent> observer) {
        GrpcCalls.stream(observer, replies -> {
            requireSmall(request.getStdin().size());
            Reached sandbox = sandboxes.reach(Caller.current(), request.getSandbox());
            ExecRecord wanted = ExecProto.record(request, sandbox, clock.instant());
            try (Attention.Hold _ = attention.hold(wanted.key())) {
                ExecLog log = logs.start(sandbox.agent(), wanted, ExecProto.request(request, sandbox.commands()));
                if (log instanceof ExecLog.Started && !request.getStdin().isEmpty()) {
                    // Beside the output: a command may write before it reads.
                    var _ = Thread.ofVirtual()
                            .name("stdin-" + request.getExecId())
                            .start(() -> feed(sandbox.agent(), request));
                }
                pass(wanted.key(), log, 0, replies);
            }
        });
    }

    @Override
    public void attachExec(AttachExecRequest request, StreamObserver<ExecEvent> observer) {
        GrpcCalls.stream(observer, replies -> {
            Sandbox sandbox = sandboxes.find(Caller.current(), request.getSandbox());
            ExecKey key = new ExecKey(sandbox.id(), request.getExecId());
            long from = request.getFromSequence();
            Optional<AgentClient> agent = sandboxes.awaitAgent(sandbox);
            ExecLog log = logs.attach(agent, key, from);
            if (request.getKeptOnly() && agent.isPresent() && log instanceof ExecLog.Attached(var stream)) {
                follow(key, stream, from, ExecLogs.last(agent.get(), key), replies);
            } else {
                pass(key, log, from, replies);
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
    public void getExec(GetExecRequest request, StreamObserver<GetExecResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Sandbox sandbox = sandboxes.find(Caller.current(), request.getSandbox());
            ExecRecord found = logs.get(new ExecKey(sandbox.id(), request.getExecId()));
            return GetExecResponse.newBuilder().setExec(ExecProto.render(found)).build();
        });
    }

    @Override
    public void listExecs(ListExecsRequest request, StreamObserver<ListExecsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            PageRequest page = PageRequest.of(Math.min(request.getPageSize(), LARGEST_PAGE), request.getPageToken());
            Sandbox sandbox = sandboxes.find(Caller.current(), request.getSandbox());
            List<ExecRecord> found =
                    logs.list(sandbox.id(), request.getRunningOnly(), TimeCursor.of(page), page.fetch());
            PageRequest.Page<ExecRecord> result = page.page(
                    found,
                    command -> new TimeCursor(command.startedAt(), command.key().id()).key());
            return ListExecsResponse.newBuilder()
                    .addAllExecs(result.entries().stream()
                            .map(ExecProto::renderInList)
                            .toList())
                    .setNextPageToken(result.nextToken())
                    .build();
        });
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

    private void pass(ExecKey key, ExecLog log, long from, Replies<ExecEvent> replies) {
        switch (log) {
            case ExecLog.Started(var stream) -> follow(key, stream, from, Long.MAX_VALUE, replies);
            case ExecLog.Attached(var stream) -> follow(key, stream, from, Long.MAX_VALUE, replies);
            case ExecLog.Gone(var end) -> ExecProto.remains(end, from).forEach(replies::send);
        }
    }

    private void follow(ExecKey key, ExecStream stream, long from, long last, Replies<ExecEvent> replies) {
        // A quiet command must not keep a call alive that nobody listens to.
        Context.CancellationListener detach = _ -> stream.close();
        Context context = Context.current();
        context.addListener(detach, MoreExecutors.directExecutor());
        try (stream;
                Attention.Hold _ = attention.hold(key)) {
            for (long sent = from - 1; sent < last; ) {
                var event = stream.next();
                if (event.isEmpty() || replies.cancelled()) {
                    return;
                }
                sent = event.get().sequence();
                logs.noteEnd(key, event.get());
                replies.send(ExecProto.render(key.id(), event.get(), why -> sandboxes.reason(key.sandbox(), why)));
            }
        } finally {
            context.removeListener(detach);
        }
    }

    private static void requireSmall(int bytes) {
        if (bytes > MOST_STDIN) {
            throw PlatformException.invalid("stdin", bytes + " bytes", "at most 1 MiB in one call");
        }
    }
}
