package dev.slate.sdk;

import com.google.protobuf.ByteString;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.api.exec.v1.TerminalSize;
import dev.slate.sdk.internal.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A command to run in a sandbox, with options. Not thread-safe. */
public final class Command {

    /** What fits into the start of a command; more is written afterwards. */
    private static final int INLINE_STDIN = 512 * 1024;

    private final Transport transport;
    private final StartExecRequest.Builder request;
    private byte[] stdin = {};
    private boolean stdinOpen;

    Command(Transport transport, String sandbox, List<String> command) {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("command: empty (expected: a program and its arguments)");
        }
        this.transport = transport;
        this.request = StartExecRequest.newBuilder().setSandbox(sandbox).addAllCommand(command);
    }

    public Command env(String name, String value) {
        request.putEnv(name, value);
        return this;
    }

    public Command workdir(String path) {
        request.setWorkdir(path);
        return this;
    }

    /** A name or {@code uid[:gid]}, instead of the image's user. */
    public Command user(String user) {
        request.setUser(user);
        return this;
    }

    /** Then the command and all that it started is killed; {@link ExecResult#timedOut()} tells. */
    public Command timeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: more than zero)");
        }
        request.setTimeout(Wire.duration(timeout));
        return this;
    }

    /** What the command reads; without it, standard input is at its end. */
    public Command stdin(byte[] content) {
        this.stdin = content.clone();
        return this;
    }

    public Command stdin(String content) {
        return stdin(content.getBytes(StandardCharsets.UTF_8));
    }

    /** Leaves standard input open for {@link RunningCommand#stdin()}. */
    public Command stdinOpen() {
        this.stdinOpen = true;
        return this;
    }

    /**
     * Runs it on a terminal of this size, 1 to 65535 columns and rows. All output is then standard output; what is
     * written to standard input is typed, so the byte 3 is Ctrl-C. Programs want to know the kind: {@code env("TERM",
     * "xterm-256color")}.
     */
    public Command terminal(int columns, int rows) {
        request.setTerminal(TerminalSize.newBuilder().setColumns(columns).setRows(rows));
        return this;
    }

    /** Runs it to its end. */
    public ExecResult run() {
        try (var running = start()) {
            return running.waitFor();
        }
    }

    /** Returns when the command has started. */
    public RunningCommand start() {
        var inline = stdin.length <= INLINE_STDIN;
        var started = request.clone()
                .setExecId(UUID.randomUUID().toString())
                .setStdinOpen(stdinOpen || !inline)
                .setStdin(inline ? ByteString.copyFrom(stdin) : ByteString.EMPTY)
                .build();
        var running = new RunningCommand(
                transport, started.getSandbox(), started.getExecId(), ExecLog.start(transport, started));
        if (!inline) {
            feed(running);
        }
        return running;
    }

    /** In the background, as the command may not read before somebody reads its output. */
    private void feed(RunningCommand running) {
        var content = stdin;
        var close = !stdinOpen;
        Thread.ofVirtual().name("slate-stdin").start(() -> running.feed(content, close));
    }
}
