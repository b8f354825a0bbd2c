package dev.slate.testing;

import com.google.protobuf.ByteString;
import dev.slate.api.exec.v1.AttachExecRequest;
import dev.slate.api.exec.v1.Ended;
import dev.slate.api.exec.v1.ExecEvent;
import dev.slate.api.exec.v1.ExecsGrpc;
import dev.slate.api.exec.v1.GetExecRequest;
import dev.slate.api.exec.v1.GetExecResponse;
import dev.slate.api.exec.v1.ListExecsRequest;
import dev.slate.api.exec.v1.ListExecsResponse;
import dev.slate.api.exec.v1.ResizeExecRequest;
import dev.slate.api.exec.v1.ResizeExecResponse;
import dev.slate.api.exec.v1.SignalExecRequest;
import dev.slate.api.exec.v1.SignalExecResponse;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.api.exec.v1.StartFailure;
import dev.slate.api.exec.v1.TerminalSize;
import dev.slate.api.exec.v1.WriteStdinRequest;
import dev.slate.api.exec.v1.WriteStdinResponse;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Knows a few commands; every other one is not found. */
final class FakeExecs extends ExecsGrpc.ExecsImplBase {

    private final Map<String, FakeExec> execs = new ConcurrentHashMap<>();

    @Override
    public void startExec(StartExecRequest request, StreamObserver<ExecEvent> observer) {
        var exec = execs.computeIfAbsent(request.getExecId(), id -> begin(id, request));
        exec.sendFrom(0, false, observer);
    }

    @Override
    public void attachExec(AttachExecRequest request, StreamObserver<ExecEvent> observer) {
        var exec = execs.get(request.getExecId());
        if (exec == null) {
            observer.onError(Fakes.notFound("command " + request.getExecId()));
        } else {
            exec.sendFrom(request.getFromSequence(), request.getKeptOnly(), observer);
        }
    }

    @Override
    public void writeStdin(WriteStdinRequest request, StreamObserver<WriteStdinResponse> observer) {
        Fakes.reply(observer, () -> {
            var exec = find(request.getExecId());
            exec.stdout(request.getData());
            if (request.getClose()) {
                exec.end(Ended.newBuilder().setExitCode(0).build());
            }
            return WriteStdinResponse.getDefaultInstance();
        });
    }

    @Override
    public void signalExec(SignalExecRequest request, StreamObserver<SignalExecResponse> observer) {
        Fakes.reply(observer, () -> {
            find(request.getExecId())
                    .end(Ended.newBuilder()
                            .setSignal(request.getSignal().equals("KILL") ? 9 : 15)
                            .build());
            return SignalExecResponse.getDefaultInstance();
        });
    }

    @Override
    public void resizeExec(ResizeExecRequest request, StreamObserver<ResizeExecResponse> observer) {
        Fakes.reply(observer, () -> {
            find(request.getExecId()).stdout(size(request.getSize()));
            return ResizeExecResponse.getDefaultInstance();
        });
    }

    @Override
    public void getExec(GetExecRequest request, StreamObserver<GetExecResponse> observer) {
        Fakes.reply(
                observer,
                () -> GetExecResponse.newBuilder()
                        .setExec(find(request.getExecId()).record())
                        .build());
    }

    /** In pages of one. */
    @Override
    public void listExecs(ListExecsRequest request, StreamObserver<ListExecsResponse> observer) {
        Fakes.reply(observer, () -> {
            var records = execs.values().stream()
                    .map(FakeExec::record)
                    .filter(exec -> !exec.hasEnded() || !request.getRunningOnly())
                    .toList();
            var place = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
            var reply = ListExecsResponse.newBuilder();
            records.stream().skip(place).limit(1).forEach(reply::addExecs);
            return reply.setNextPageToken(place + 1 < records.size() ? String.valueOf(place + 1) : "")
                    .build();
        });
    }

    private FakeExec find(String id) {
        var exec = execs.get(id);
        if (exec == null) {
            throw Fakes.notFound("command " + id);
        }
        return exec;
    }

    private static FakeExec begin(String id, StartExecRequest request) {
        var exec = new FakeExec(id, request.getCommandList());
        var words = request.getCommandList();
        var arguments = String.join(" ", words.subList(1, words.size()));
        switch (words.getFirst()) {
            case "echo" -> {
                exec.stdout(ByteString.copyFromUtf8(arguments + "\n"));
                exec.end(Ended.newBuilder().setExitCode(0).build());
            }
            case "env" -> {
                request.getEnvMap().forEach((name, value) -> exec.stdout(ByteString.copyFromUtf8(name + "=" + value)));
                exec.end(Ended.newBuilder().setExitCode(0).build());
            }
            case "exit" -> {
                exec.stderr(ByteString.copyFromUtf8("ends with " + arguments));
                exec.end(Ended.newBuilder()
                        .setExitCode(Integer.parseInt(arguments))
                        .build());
            }
            case "cat" -> {
                exec.stdout(request.getStdin());
                if (!request.getStdinOpen()) {
                    exec.end(Ended.newBuilder().setExitCode(0).build());
                }
            }
            case "tty" -> exec.stdout(size(request.getTerminal()));
            case "sleep" -> {
                if (request.hasTimeout()) {
                    exec.end(Ended.newBuilder().setTimedOut(true).build());
                }
            }
            default ->
                exec.end(Ended.newBuilder()
                        .setStartFailure(
                                StartFailure.newBuilder().setExitCode(127).setMessage(words.getFirst() + ": not found"))
                        .build());
        }
        return exec;
    }

    private static ByteString size(TerminalSize size) {
        return ByteString.copyFromUtf8(size.getColumns() + "x" + size.getRows() + "\n");
    }
}
