package dev.slate.controlplane.exec;

import com.google.protobuf.Timestamp;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.util.Durations;
import dev.slate.api.exec.v1.Ended;
import dev.slate.api.exec.v1.Exec;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.api.exec.v1.StartFailure;
import dev.slate.api.exec.v1.Started;
import dev.slate.api.exec.v1.TerminalSize;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.RequestDigest;
import dev.slate.controlplane.agent.ExecEvent;
import dev.slate.controlplane.agent.ExecRequest;
import dev.slate.controlplane.exec.RunningSandboxes.Reached;
import dev.slate.controlplane.sandbox.Commands;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Translates commands and their events between the agent and the wire. */
final class ExecProto {
    private ExecProto() {}

    private static final int LONGEST_TEXT = 4096;

    /** What is written down of a command that is about to start. */
    static ExecRecord record(StartExecRequest message, Reached sandbox, Instant now) {
        return new ExecRecord(
                new ExecKey(sandbox.id(), message.getExecId()),
                sandbox.environment(),
                CommandLine.of(message.getCommandList()),
                // The sandbox goes by its id and by its name.
                RequestDigest.of(message.toBuilder().clearSandbox().build()),
                text("workdir", message.getWorkdir()),
                text("user", message.getUser()),
                message.hasTerminal(),
                timeout(message),
                now,
                Optional.empty());
    }

    static Exec render(ExecRecord command) {
        return render(command, command.command());
    }

    static Exec renderInList(ExecRecord command) {
        return render(command, command.command().shortened());
    }

    private static Exec render(ExecRecord command, CommandLine line) {
        Exec.Builder exec = Exec.newBuilder()
                .setExecId(command.key().id())
                .addAllCommand(line.words())
                .setCommandCut(line.cut())
                .setWorkdir(command.workdir())
                .setUser(command.user())
                .setTerminal(command.terminal())
                .setStartedAt(timestamp(command.startedAt()));
        command.timeout().ifPresent(limit -> exec.setTimeout(Durations.fromMillis(limit.toMillis())));
        command.end()
                .ifPresent(end -> exec.setEnded(ended(end.how(), UnaryOperator.identity()))
                        .setEndedAt(timestamp(end.at())));
        return exec.build();
    }

    /** What is left of a log that is not kept any more: from an event on, a mark if something is missing, and the end. */
    static List<dev.slate.api.exec.v1.ExecEvent> remains(ExecEvent.Terminal end, long from) {
        long wanted = Math.max(1, from);
        boolean known = end.sequence() > 0;
        boolean complete = known && wanted >= end.sequence();
        var last = dev.slate.api.exec.v1.ExecEvent.newBuilder()
                .setSequence(complete ? wanted : known ? end.sequence() : wanted + 1)
                .setEnded(ended(end, UnaryOperator.identity()))
                .build();
        if (complete) {
            return List.of(last);
        }
        var mark = dev.slate.api.exec.v1.ExecEvent.newBuilder()
                .setSequence(last.getSequence() - 1)
                .setLogGone(true)
                .build();
        return List.of(mark, last);
    }

    /** The command as the agent is asked to run it: in the environment of the sandbox, as the user of the image. */
    static ExecRequest request(StartExecRequest message, Commands sandbox) {
        return new ExecRequest(
                message.getExecId(),
                message.getCommandList(),
                sandbox.environment(message.getEnvMap()),
                message.getWorkdir().isEmpty() ? sandbox.workdir() : message.getWorkdir(),
                message.getUser().isEmpty() ? sandbox.user() : message.getUser(),
                message.getStdinOpen() || !message.getStdin().isEmpty(),
                timeout(message),
                message.hasTerminal() ? Optional.of(size(message.getTerminal())) : Optional.empty());
    }

    /** An event; the reason of a loss is looked up, because the agent cannot tell it. */
    static dev.slate.api.exec.v1.ExecEvent render(String execId, ExecEvent event, UnaryOperator<String> reason) {
        var message = dev.slate.api.exec.v1.ExecEvent.newBuilder().setSequence(event.sequence());
        switch (event) {
            case ExecEvent.Started _ -> message.setStarted(Started.newBuilder().setExecId(execId));
            case ExecEvent.Stdout(var _, var data) -> message.setStdout(UnsafeByteOperations.unsafeWrap(data));
            case ExecEvent.Stderr(var _, var data) -> message.setStderr(UnsafeByteOperations.unsafeWrap(data));
            case ExecEvent.Dropped(var _, var _, var bytes) -> message.setDroppedBytes(bytes);
            case ExecEvent.Terminal terminal -> message.setEnded(ended(terminal, reason));
        }
        return message.build();
    }

    static Ended ended(ExecEvent.Terminal terminal, UnaryOperator<String> reason) {
        Ended.Builder ended = Ended.newBuilder();
        switch (terminal) {
            case ExecEvent.Exited(var _, var code) -> ended.setExitCode(code);
            case ExecEvent.Signaled(var _, var signal) -> ended.setSignal(signal);
            case ExecEvent.TimedOut _ -> ended.setTimedOut(true);
            case ExecEvent.Failed(var _, var code, var _, var text) ->
                ended.setStartFailure(
                        StartFailure.newBuilder().setExitCode(code).setMessage(text));
            case ExecEvent.Lost(var _, var why) -> ended.setLost(reason.apply(why));
        }
        return ended.build();
    }

    static dev.slate.controlplane.agent.TerminalSize size(TerminalSize message) {
        return new dev.slate.controlplane.agent.TerminalSize(message.getColumns(), message.getRows());
    }

    private static Optional<Duration> timeout(StartExecRequest message) {
        if (!message.hasTimeout()) {
            return Optional.empty();
        }
        com.google.protobuf.Duration limit = message.getTimeout();
        if (!Durations.isValid(limit) || Durations.toMillis(limit) < 1) {
            throw PlatformException.invalid("timeout", limit.getSeconds() + "s", "more than 0");
        }
        return Optional.of(Duration.ofSeconds(limit.getSeconds(), limit.getNanos()));
    }

    private static String text(String name, String value) {
        if (value.length() > LONGEST_TEXT || value.indexOf('\0') >= 0) {
            throw PlatformException.invalid(
                    name, value.replace('\0', '?'), "at most " + LONGEST_TEXT + " characters without NUL");
        }
        return value;
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
