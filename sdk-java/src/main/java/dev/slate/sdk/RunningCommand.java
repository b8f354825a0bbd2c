package dev.slate.sdk;

import com.google.protobuf.ByteString;
import dev.slate.api.exec.v1.ExecsGrpc;
import dev.slate.api.exec.v1.ResizeExecRequest;
import dev.slate.api.exec.v1.SignalExecRequest;
import dev.slate.api.exec.v1.TerminalSize;
import dev.slate.api.exec.v1.WriteStdinRequest;
import dev.slate.sdk.internal.Transport;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A command that runs in a sandbox. Thread-safe.
 *
 * <p>Its log is read once: an event goes to whoever asks for it first, as an event, as bytes of a stream, or into the
 * result. Nobody needs to read it, the command goes on all the same. Closing the handle lets go of the log and leaves
 * the command alone.
 */
public final class RunningCommand implements AutoCloseable {

    private static final int STDIN_PIECE = 256 * 1024;

    private final Transport transport;
    private final String sandbox;
    private final String execId;
    private final ExecOutput output;
    private final Set<ExecLog> readers = ConcurrentHashMap.newKeySet();
    private @Nullable CompletableFuture<ExecResult> result;

    RunningCommand(Transport transport, String sandbox, String execId, ExecLog log) {
        this.transport = transport;
        this.sandbox = sandbox;
        this.execId = execId;
        this.output = new ExecOutput(log);
    }

    /** For {@link Sandbox#attach}. */
    public String execId() {
        return execId;
    }

    /** All further events, the last is {@link ExecEvent.Ended}. */
    public Iterable<ExecEvent> events() {
        return output::events;
    }

    /**
     * The log from an event on, 0 is its start, whatever was read before and by whom. Each iterator reads for itself,
     * until its end or until this handle is closed.
     */
    public Iterable<ExecEvent> events(long fromSequence) {
        return () -> {
            var log = ExecLog.attach(transport, sandbox, execId, fromSequence);
            readers.add(log);
            return log;
        };
    }

    /** Standard output; read both streams or {@link #copyTo}, as the unread one is kept in memory. */
    public InputStream stdout() {
        return output.stdout();
    }

    public InputStream stderr() {
        return output.stderr();
    }

    /** Copies output as it comes, flushing each piece, until the command ends. */
    public ExecResult copyTo(OutputStream stdout, OutputStream stderr) {
        try {
            for (var event : events()) {
                switch (event) {
                    case ExecEvent.Stdout piece -> write(stdout, piece.bytes());
                    case ExecEvent.Stderr piece -> write(stderr, piece.bytes());
                    case ExecEvent.Started _, ExecEvent.Dropped _, ExecEvent.LogGone _, ExecEvent.Ended _ -> {}
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot pass on the output of command " + execId, e);
        }
        return output.result();
    }

    /** Waits for the end; the result holds the output that nobody has read. */
    public ExecResult waitFor() {
        return output.result();
    }

    /**
     * Waits that long for the end; empty if it has not come. Reads in the background from then on, so output that comes
     * later is in the result.
     */
    public Optional<ExecResult> waitFor(Duration limit) throws InterruptedException {
        var waiting = inBackground();
        try {
            return Optional.of(waiting.get(limit.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException _) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        }
    }

    /** Only with {@link Command#stdinOpen()}. Flush to send what was written, close to end the input. */
    public OutputStream stdin() {
        return new BufferedOutputStream(new Stdin(), STDIN_PIECE);
    }

    public void closeStdin() {
        writeStdin(ByteString.EMPTY, true);
    }

    /** Gives its terminal another size; {@link SlateException.FailedPrecondition} if it has none, or has ended. */
    public void resize(int columns, int rows) {
        transport.call(
                ExecsGrpc.getResizeExecMethod(),
                ResizeExecRequest.newBuilder()
                        .setSandbox(sandbox)
                        .setExecId(execId)
                        .setSize(TerminalSize.newBuilder().setColumns(columns).setRows(rows))
                        .build());
    }

    /** To the command's own process; {@code TERM}, {@code INT}, {@code KILL}, … */
    public void signal(String name) {
        signal(name, false);
    }

    /** To every process of the command. */
    public void signalTree(String name) {
        signal(name, true);
    }

    /** Kills the command and all that it started. */
    public void kill() {
        signal("KILL", true);
    }

    @Override
    public void close() {
        output.close();
        readers.forEach(ExecLog::close);
    }

    private synchronized CompletableFuture<ExecResult> inBackground() {
        if (result == null) {
            result = new CompletableFuture<>();
            var promise = result;
            Thread.ofVirtual().name("slate-wait").start(() -> {
                try {
                    promise.complete(output.result());
                } catch (RuntimeException failure) {
                    promise.completeExceptionally(failure);
                }
            });
        }
        return result;
    }

    /** A command that ends before it has read everything is no failure. */
    void feed(byte[] content, boolean close) {
        try (var in = new Stdin()) {
            in.write(content, 0, content.length);
            if (!close) {
                in.keepOpen();
            }
        } catch (SlateException _) {
            // The end of the command tells what happened.
        }
    }

    private void signal(String name, boolean tree) {
        signal(transport, sandbox, execId, name, tree);
    }

    static void signal(Transport transport, String sandbox, String execId, String name, boolean tree) {
        transport.call(
                ExecsGrpc.getSignalExecMethod(),
                SignalExecRequest.newBuilder()
                        .setSandbox(sandbox)
                        .setExecId(execId)
                        .setSignal(name)
                        .setTree(tree)
                        .build());
    }

    private void writeStdin(ByteString data, boolean close) {
        transport.call(
                ExecsGrpc.getWriteStdinMethod(),
                WriteStdinRequest.newBuilder()
                        .setSandbox(sandbox)
                        .setExecId(execId)
                        .setData(data)
                        .setClose(close)
                        .build());
    }

    private static void write(OutputStream out, Output bytes) throws IOException {
        out.write(bytes.shared());
        out.flush();
    }

    private final class Stdin extends OutputStream {

        private boolean open = true;

        @Override
        public void write(int b) {
            writeStdin(ByteString.copyFrom(new byte[] {(byte) b}), false);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            for (int sent = 0; sent < length; sent += STDIN_PIECE) {
                writeStdin(ByteString.copyFrom(bytes, offset + sent, Math.min(STDIN_PIECE, length - sent)), false);
            }
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                closeStdin();
            }
        }

        void keepOpen() {
            open = false;
        }
    }
}
