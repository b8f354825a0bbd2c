package dev.slate.sdk;

import dev.slate.api.exec.v1.Exec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The record of a command as it was when asked. Has as many parts as the record.
 *
 * @param command its words, up to 64 KiB
 * @param commandCut there is more of it
 * @param workdir empty for the sandbox's
 * @param user empty for the image's
 * @param end empty while it runs
 * @param endedAt when the platform learned of the end
 */
public record CommandInfo(
        String execId,
        List<String> command,
        boolean commandCut,
        String workdir,
        String user,
        boolean terminal,
        Optional<Duration> timeout,
        Instant startedAt,
        Optional<ExecEnd> end,
        Optional<Instant> endedAt) {

    public CommandInfo {
        command = List.copyOf(command);
    }

    public boolean running() {
        return end.isEmpty();
    }

    /** In one word: running, exited, signaled, timed-out, not-started or lost. */
    public String state() {
        return end.map(how -> switch (how) {
                    case ExecEnd.Exited _ -> "exited";
                    case ExecEnd.Signaled _ -> "signaled";
                    case ExecEnd.TimedOut _ -> "timed-out";
                    case ExecEnd.NotStarted _ -> "not-started";
                    case ExecEnd.Lost _ -> "lost";
                })
                .orElse("running");
    }

    static CommandInfo of(Exec exec) {
        return new CommandInfo(
                exec.getExecId(),
                exec.getCommandList(),
                exec.getCommandCut(),
                exec.getWorkdir(),
                exec.getUser(),
                exec.getTerminal(),
                exec.hasTimeout() ? Optional.of(Wire.duration(exec.getTimeout())) : Optional.empty(),
                Wire.instant(exec.getStartedAt()),
                exec.hasEnded() ? Optional.of(ExecLog.end(exec.getEnded())) : Optional.empty(),
                Wire.optional(exec.hasEndedAt(), exec.getEndedAt()));
    }
}
