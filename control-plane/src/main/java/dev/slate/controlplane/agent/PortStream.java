package dev.slate.controlplane.agent;

import java.io.IOException;
import java.time.Duration;

/**
 * A byte stream to a port inside a sandbox. One thread may read while another writes; {@link #close} may come from any
 * and ends both, as the end of the sandbox does.
 */
public final class PortStream implements AutoCloseable {
    /** The agent gives up connecting after 5 s. */
    private static final Duration CONNECT_SILENCE = Duration.ofSeconds(10);

    private final ConnectionPool pool;
    private final AgentConnection connection;
    private volatile boolean inputEnded;
    private volatile boolean outputEnded;

    private PortStream(ConnectionPool pool, AgentConnection connection) {
        this.pool = pool;
        this.connection = connection;
    }

    static PortStream open(ConnectionPool pool, Duration connectLimit, int port) throws IOException {
        AgentConnection connection = pool.take(connectLimit);
        try {
            connection.waitAtMost(CONNECT_SILENCE);
            connection.send(new FrameBuilder(FrameType.DIAL).u16(port).build());
            AgentCalls.expect(FrameType.OK, connection).end();
            connection.waitAtMost(Duration.ZERO);
            connection.breakOnClose();
        } catch (IOException | RuntimeException e) {
            // A refusal leaves the connection usable.
            pool.release(connection);
            throw e;
        }
        return new PortStream(pool, connection);
    }

    /** The number of bytes read, which waits for some; negative at the end of this direction. */
    public int read(byte[] buffer) throws IOException {
        int count = connection.input().read(buffer);
        inputEnded |= count < 0;
        return count;
    }

    /** Waits until the sandbox has room for the bytes. */
    public void write(byte[] bytes) throws IOException {
        connection.output().write(bytes);
    }

    /** The server inside reads the end of its input; it may go on sending. */
    public void endOutput() throws IOException {
        connection.endOutput();
        outputEnded = true;
    }

    /** Whether both directions have come to their ends. */
    public boolean isEnded() {
        return inputEnded && outputEnded;
    }

    /** Breaks both directions; whoever reads or writes notices. */
    public void abort() {
        close();
    }

    @Override
    public void close() {
        if (isEnded()) {
            connection.endOnClose();
        }
        pool.discard(connection);
    }
}
