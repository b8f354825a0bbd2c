package dev.slate.controlplane.agent;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.io.IOException;
import java.time.Duration;

/** Performs operations on pooled connections. Thread-safe. */
final class AgentCalls {
    /** Longest silence within an operation. */
    private static final Duration REPLY_LIMIT = Duration.ofSeconds(60);

    private final ConnectionPool pool;
    private final Duration connectLimit;

    AgentCalls(ConnectionPool pool, Duration connectLimit) {
        this.pool = pool;
        this.connectLimit = connectLimit;
    }

    /** Sends requests and reads replies on a connection of its own. */
    interface Operation<T> {
        T on(AgentConnection connection) throws IOException;
    }

    @CanIgnoreReturnValue
    <T> T call(Operation<T> operation) {
        try {
            return attempt(connectLimit, REPLY_LIMIT, operation);
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    @CanIgnoreReturnValue
    <T> T attempt(Duration connect, Duration silence, Operation<T> operation) throws IOException {
        AgentConnection connection = pool.take(connect);
        try {
            connection.waitAtMost(silence);
            T result = operation.on(connection);
            connection.markComplete();
            return result;
        } finally {
            pool.release(connection);
        }
    }

    /** An operation whose only reply is OK. */
    void command(byte[] request) {
        call(connection -> {
            connection.send(request);
            return expectOk(connection);
        });
    }

    FileWatch watch(String path, boolean recursive) {
        try {
            return FileWatch.open(pool, connectLimit, path, recursive);
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    static boolean expectOk(AgentConnection connection) throws IOException {
        expect(FrameType.OK, connection).end();
        return true;
    }

    /** The next frame, which must be of the type. Only what is answered with OK may keep its caller waiting. */
    static Frame expect(int type, AgentConnection connection) throws IOException {
        Frame frame = connection.receive();
        while (frame.type() == FrameType.HEARTBEAT && type == FrameType.OK) {
            frame.end();
            frame = connection.receive();
        }
        if (frame.type() != type) {
            throw frame.unexpected();
        }
        return frame;
    }

    static PlatformException unavailable(IOException cause) {
        return new PlatformException(
                ErrorCode.UNAVAILABLE, "the agent of the sandbox does not answer: " + cause.getMessage(), cause);
    }
}
