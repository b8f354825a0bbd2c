package dev.slate.controlplane.agent;

import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs commands and moves files in one sandbox. Calls block, so use virtual threads. Failures are {@link
 * PlatformException}s: UNAVAILABLE if the agent does not answer as it should, otherwise what it refused and why.
 * Thread-safe. Close it when the sandbox ends: that ends every call in progress.
 */
public final class AgentClient implements AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    private static final int STDIN_CHUNK = 256 * 1024;

    private final ConnectionPool pool;
    private final AgentCalls calls;
    private final AgentFiles files;

    public AgentClient(String host, int port, SecretValue token) {
        this.pool = new ConnectionPool(new InetSocketAddress(host, port), token);
        this.calls = new AgentCalls(pool, CONNECT_LIMIT);
        this.files = new AgentFiles(calls);
    }

    /** Waits until the agent answers; UNAVAILABLE if it does not within the limit, or does not accept the token. */
    public AgentHealth awaitReady(Duration limit) {
        return new Readiness(calls).await(limit);
    }

    /** What the agent says about itself. */
    public AgentHealth health() {
        return calls.call(AgentClient::health);
    }

    static AgentHealth health(AgentConnection connection) throws IOException {
        connection.send(new FrameBuilder(FrameType.HEALTH).build());
        Frame frame = AgentCalls.expect(FrameType.HEALTH_REPLY, connection);
        AgentHealth health = new AgentHealth(
                AgentConnection.printable(frame.text()),
                Duration.ofMillis(frame.u64()),
                frame.u32(),
                frame.u32(),
                frame.u32());
        frame.end();
        return health;
    }

    /** Starts a command and attaches to it, in one round trip. ALREADY_EXISTS if the id is known: then attach. */
    public ExecStream start(ExecRequest request) {
        return stream(request.id(), 1, request.toFrame());
    }

    /** The events of a command from a sequence number on, from the first if that is 0. */
    public ExecStream attach(String execId, long fromSequence) {
        long from = Math.max(1, fromSequence);
        return stream(execId, from, ExecStream.attachRequest(execId, from));
    }

    /** Passes the events from a sequence number on to the consumer and returns the terminal one. */
    public Terminal attach(String execId, long fromSequence, Consumer<? super ExecEvent> consumer) {
        try (ExecStream stream = attach(execId, fromSequence)) {
            return stream.forEach(consumer);
        }
    }

    private ExecStream stream(String execId, long from, byte[] request) {
        try {
            return ExecStream.open(pool, CONNECT_LIMIT, execId, from, request);
        } catch (IOException e) {
            throw AgentCalls.unavailable(e);
        }
    }

    /** Returns when the process, or its pipe, has taken all bytes. FAILED_PRECONDITION if stdin is closed. */
    public void writeStdin(String execId, byte[] data) {
        calls.call(connection -> {
            for (int begin = 0; begin < data.length; begin += STDIN_CHUNK) {
                byte[] chunk = Arrays.copyOfRange(data, begin, Math.min(data.length, begin + STDIN_CHUNK));
                connection.send(new FrameBuilder(FrameType.STDIN_WRITE)
                        .text(execId)
                        .raw(chunk)
                        .build());
                AgentCalls.expect(FrameType.OK, connection).end();
            }
            return true;
        });
    }

    /** The process reads the end of its input once it has read what was written. */
    public void closeStdin(String execId) {
        calls.command(new FrameBuilder(FrameType.STDIN_CLOSE).text(execId).build());
    }

    /** Gives the terminal of a command another size. FAILED_PRECONDITION if it has none, or has ended. */
    public void resize(String execId, TerminalSize size) {
        calls.command(
                size.write(new FrameBuilder(FrameType.RESIZE).text(execId)).build());
    }

    /** Connects to a port of the sandbox's loopback address. NOT_FOUND if nothing listens there. */
    public PortStream dial(int port) {
        try {
            return PortStream.open(pool, CONNECT_LIMIT, port);
        } catch (IOException e) {
            throw AgentCalls.unavailable(e);
        }
    }

    /** Sends a signal to the main process, or to every process of the tree, and does not wait for its effect. */
    public void signal(String execId, int signal, SignalScope scope) {
        calls.command(new FrameBuilder(FrameType.SIGNAL)
                .text(execId)
                .u32(signal)
                .u8(scope.number())
                .build());
    }

    /** Ends the whole tree, with TERM first and KILL after the grace, and returns when it is gone. */
    public void terminate(String execId, Duration grace) {
        int millis = Math.toIntExact(Math.clamp(grace.toMillis(), 0, Integer.MAX_VALUE));
        calls.command(
                new FrameBuilder(FrameType.TERMINATE).text(execId).u32(millis).build());
    }

    /** The commands that the agent knows, oldest first. */
    public List<ExecSummary> list() {
        return calls.call(connection -> {
            connection.send(new FrameBuilder(FrameType.LIST).build());
            Frame frame = AgentCalls.expect(FrameType.EXECS, connection);
            List<ExecSummary> execs = new ArrayList<>();
            for (int left = frame.u32(); left > 0; left--) {
                execs.add(ExecSummary.read(frame));
            }
            frame.end();
            return List.copyOf(execs);
        });
    }

    /** Makes the agent forget a finished command and its output. */
    public void remove(String execId) {
        calls.command(new FrameBuilder(FrameType.REMOVE).text(execId).build());
    }

    /** The files of the sandbox. */
    public AgentFiles files() {
        return files;
    }

    @Override
    public void close() {
        pool.close();
    }
}
