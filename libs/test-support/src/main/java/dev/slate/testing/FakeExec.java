package dev.slate.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.slate.api.exec.v1.Ended;
import dev.slate.api.exec.v1.Exec;
import dev.slate.api.exec.v1.ExecEvent;
import dev.slate.api.exec.v1.Started;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;

/** The log of one command. Guarded by its own lock. */
final class FakeExec {

    private static final Timestamp START =
            Timestamp.newBuilder().setSeconds(1_750_000_000).build();

    private final List<ExecEvent> events = new ArrayList<>();
    private final List<StreamObserver<ExecEvent>> listeners = new ArrayList<>();

    private final String id;
    private final List<String> command;

    FakeExec(String id, List<String> command) {
        this.id = id;
        this.command = command;
        add(ExecEvent.newBuilder().setStarted(Started.newBuilder().setExecId(id)));
    }

    synchronized void stdout(ByteString bytes) {
        if (!bytes.isEmpty()) {
            add(ExecEvent.newBuilder().setStdout(bytes));
        }
    }

    synchronized void stderr(ByteString bytes) {
        add(ExecEvent.newBuilder().setStderr(bytes));
    }

    synchronized void end(Ended ended) {
        add(ExecEvent.newBuilder().setEnded(ended));
        listeners.forEach(StreamObserver::onCompleted);
        listeners.clear();
    }

    synchronized Exec record() {
        var exec = Exec.newBuilder().setExecId(id).addAllCommand(command).setStartedAt(START);
        if (events.getLast().hasEnded()) {
            exec.setEnded(events.getLast().getEnded()).setEndedAt(START);
        }
        return exec.build();
    }

    synchronized void sendFrom(long sequence, boolean keptOnly, StreamObserver<ExecEvent> listener) {
        if (listener instanceof ServerCallStreamObserver<ExecEvent> call) {
            call.setOnCancelHandler(() -> remove(listener));
        }
        events.stream().skip(sequence).forEach(listener::onNext);
        if (keptOnly || events.getLast().hasEnded()) {
            listener.onCompleted();
        } else {
            listeners.add(listener);
        }
    }

    private synchronized void add(ExecEvent.Builder event) {
        var numbered = event.setSequence(events.size()).build();
        events.add(numbered);
        listeners.forEach(listener -> listener.onNext(numbered));
    }

    private synchronized void remove(StreamObserver<ExecEvent> listener) {
        listeners.remove(listener);
    }
}
