package dev.slate.controlplane.exec;

import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.util.Durations;
import dev.slate.api.exec.v1.Ended;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.api.exec.v1.StartFailure;
import dev.slate.api.exec.v1.Started;
import dev.slate.api.exec.v1.TerminalSize;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.agent.ExecEvent;
import dev.slate.controlplane.agent.ExecRequest;
import dev.slate.controlplane.sandbox.Commands;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Translates commands and their events between the agent and the wire. */
final class ExecProto {
    private ExecProto() {}

    /** The command as the agent is asked to run it: in the environment of the sandbox, as the user of the image. */
    static ExecRequest request(StartExecRequest message, Commands sandbox) {
        return new ExecRequest(
                message.getExecId(),
                message.getCommandList(),
                sandbox.environment(message.getEnvMap()),
                message.getWorkdir().isEmpty() ? sandbox.workdir() : message.getWorkdir(),
                message.getUser().isEmpty() ? sandbox.user() : message.getUser(),
                message.getStdinOpen() || !message.getStdin().isEmpty(),
                message.hasTimeout() ? Optional.of(duration(message.getTimeout())) : Optional.empty(),
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

    private static Duration duration(com.google.protobuf.Duration message) {
        if (!Durations.isValid(message) || Durations.toMillis(message) < 1) {
            throw PlatformException.invalid("timeout", message.getSeconds() + "s", "more than 0");
        }
        return Duration.ofSeconds(message.getSeconds(), message.getNanos());
    }
}
