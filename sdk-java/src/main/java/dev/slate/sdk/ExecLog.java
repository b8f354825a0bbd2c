package dev.slate.sdk;

import dev.slate.api.exec.v1.AttachExecRequest;
import dev.slate.api.exec.v1.Ended;
import dev.slate.api.exec.v1.ExecsGrpc;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.sdk.internal.EventStream;
import dev.slate.sdk.internal.Transport;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The events of one command, read one at a time. When the connection breaks it continues where it was. Read by one
 * thread at a time, closed by any.
 */
final class ExecLog implements Iterator<ExecEvent>, AutoCloseable {

    private final Transport transport;
    private final String sandbox;
    private final String execId;
    private final Reconnect reconnect = new Reconnect();
    private volatile EventStream<dev.slate.api.exec.v1.ExecEvent> events;
    private volatile boolean closed;
    private long next;
    private boolean ended;

    private ExecLog(
            Transport transport,
            String sandbox,
            String execId,
            EventStream<dev.slate.api.exec.v1.ExecEvent> events,
            long next) {
        this.transport = transport;
        this.sandbox = sandbox;
        this.execId = execId;
        this.events = events;
        this.next = next;
    }

    static ExecLog start(Transport transport, StartExecRequest request) {
        // A start that is repeated with the same id attaches to what the first one started.
        return new Reconnect().call(() -> {
            var events = transport.stream(ExecsGrpc.getStartExecMethod(), request);
            // Waits until the command was started, or refused.
            var _ = events.hasNext();
            return new ExecLog(transport, request.getSandbox(), request.getExecId(), events, 0);
        });
    }

    static ExecLog attach(Transport transport, String sandbox, String execId, long from) {
        var events = attached(transport, sandbox, execId, from);
        return new ExecLog(transport, sandbox, execId, events, from);
    }

    /** What is there now. */
    static List<ExecEvent> kept(Transport transport, String sandbox, String execId) {
        var request = AttachExecRequest.newBuilder()
                .setSandbox(sandbox)
                .setExecId(execId)
                .setKeptOnly(true)
                .build();
        return new Reconnect().call(() -> {
            var kept = new ArrayList<ExecEvent>();
            transport.stream(ExecsGrpc.getAttachExecMethod(), request)
                    .forEachRemaining(event -> kept.add(event(event)));
            return List.copyOf(kept);
        });
    }

    @Override
    public boolean hasNext() {
        return !ended;
    }

    @Override
    public ExecEvent next() {
        if (ended) {
            throw new NoSuchElementException("the command has ended");
        }
        while (true) {
            try {
                if (events.hasNext()) {
                    var event = event(events.next());
                    reconnect.succeeded();
                    next = event.sequence() + 1;
                    ended = event instanceof ExecEvent.Ended;
                    if (ended) {
                        events.drain();
                    }
                    return event;
                }
                throw SlateException.unavailable("UNAVAILABLE", "the log of command " + execId + " was cut off");
            } catch (SlateException.Unavailable e) {
                if (closed) {
                    throw e;
                }
                reconnect.pauseAfter(e);
                events = attached(transport, sandbox, execId, next);
                if (closed) {
                    events.close();
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        events.close();
    }

    private static EventStream<dev.slate.api.exec.v1.ExecEvent> attached(
            Transport transport, String sandbox, String execId, long from) {
        var request = AttachExecRequest.newBuilder()
                .setSandbox(sandbox)
                .setExecId(execId)
                .setFromSequence(from)
                .build();
        return transport.stream(ExecsGrpc.getAttachExecMethod(), request);
    }

    private static ExecEvent event(dev.slate.api.exec.v1.ExecEvent event) {
        var sequence = event.getSequence();
        return switch (event.getKindCase()) {
            case STARTED -> new ExecEvent.Started(sequence, event.getStarted().getExecId());
            case STDOUT ->
                new ExecEvent.Stdout(sequence, new Output(event.getStdout().toByteArray()));
            case STDERR ->
                new ExecEvent.Stderr(sequence, new Output(event.getStderr().toByteArray()));
            case DROPPED_BYTES -> new ExecEvent.Dropped(sequence, event.getDroppedBytes());
            case LOG_GONE -> new ExecEvent.LogGone(sequence);
            case ENDED -> new ExecEvent.Ended(sequence, end(event.getEnded()));
            case KIND_NOT_SET -> new ExecEvent.Dropped(sequence, 0);
        };
    }

    static ExecEnd end(Ended ended) {
        return switch (ended.getKindCase()) {
            case EXIT_CODE -> new ExecEnd.Exited(ended.getExitCode());
            case SIGNAL -> new ExecEnd.Signaled(ended.getSignal());
            case TIMED_OUT -> new ExecEnd.TimedOut();
            case START_FAILURE ->
                new ExecEnd.NotStarted(
                        ended.getStartFailure().getExitCode(),
                        ended.getStartFailure().getMessage());
            case LOST -> new ExecEnd.Lost(ended.getLost());
            case KIND_NOT_SET -> new ExecEnd.Lost("the platform did not say how the command ended");
        };
    }
}
