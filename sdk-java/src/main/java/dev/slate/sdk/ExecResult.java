package dev.slate.sdk;

import java.util.OptionalInt;

/** How a command ended and what it wrote. Immutable. */
public final class ExecResult {

    private static final int SIGNAL_BASE = 128;
    private static final int TIMED_OUT_CODE = 124;
    private static final int SHOWN_OUTPUT = 2000;

    private final ExecEnd end;
    private final Output stdout;
    private final Output stderr;
    private final long droppedBytes;
    private final boolean logGone;

    ExecResult(ExecEnd end, Output stdout, Output stderr, long droppedBytes, boolean logGone) {
        this.end = end;
        this.stdout = stdout;
        this.stderr = stderr;
        this.droppedBytes = droppedBytes;
        this.logGone = logGone;
    }

    public String stdout() {
        return stdout.text();
    }

    public String stderr() {
        return stderr.text();
    }

    public byte[] stdoutBytes() {
        return stdout.bytes();
    }

    public byte[] stderrBytes() {
        return stderr.bytes();
    }

    /** As a shell has it: 128 and the signal's number after a signal, 124 after the time limit. */
    public int exitCode() {
        return switch (end) {
            case ExecEnd.Exited(var code) -> code;
            case ExecEnd.Signaled(var signal) -> SIGNAL_BASE + signal;
            case ExecEnd.TimedOut() -> TIMED_OUT_CODE;
            case ExecEnd.NotStarted failure -> failure.code();
            case ExecEnd.Lost _ -> 1;
        };
    }

    public OptionalInt signal() {
        return end instanceof ExecEnd.Signaled(var signal) ? OptionalInt.of(signal) : OptionalInt.empty();
    }

    public boolean timedOut() {
        return end instanceof ExecEnd.TimedOut;
    }

    /** Exit code 0. */
    public boolean succeeded() {
        return exitCode() == 0;
    }

    /** How much output is missing, because there was too much. */
    public long droppedBytes() {
        return droppedBytes;
    }

    /** The output was not kept any more when it was asked for. */
    public boolean logGone() {
        return logGone;
    }

    public ExecEnd end() {
        return end;
    }

    /**
     * This result, if the command succeeded.
     *
     * @throws SlateException.ExecFailed otherwise, with the end of standard error in its message
     */
    public ExecResult orThrow() {
        if (succeeded()) {
            return this;
        }
        var text = stderr.text().strip();
        var shown = text.length() > SHOWN_OUTPUT ? "…" + text.substring(text.length() - SHOWN_OUTPUT) : text;
        throw new SlateException.ExecFailed(this, this + (shown.isEmpty() ? "" : ": " + shown));
    }

    @Override
    public String toString() {
        return switch (end) {
            case ExecEnd.Exited(var code) -> "command ended with exit code " + code;
            case ExecEnd.Signaled(var signal) -> "command was ended by signal " + signal;
            case ExecEnd.TimedOut() -> "command ran into its time limit";
            case ExecEnd.NotStarted failure -> "command could not be started: " + failure.message();
            case ExecEnd.Lost(var message) -> "command was lost: " + message;
        };
    }
}
