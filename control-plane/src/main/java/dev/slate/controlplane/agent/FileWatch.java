package dev.slate.controlplane.agent;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Changes below a directory, as they come. Confined to one thread, except {@link #close}, which ends it. */
public final class FileWatch implements AutoCloseable {
    /** The agent sends a heartbeat every second. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private final ConnectionPool pool;
    private final AgentConnection connection;
    private final String root;
    private volatile boolean ended;

    private FileWatch(ConnectionPool pool, AgentConnection connection, String root) {
        this.pool = pool;
        this.connection = connection;
        this.root = root;
    }

    /** Returns when changes are noticed; a refusal is thrown. */
    static FileWatch open(ConnectionPool pool, Duration connectLimit, String path, boolean recursive)
            throws IOException {
        AgentConnection connection = pool.take(connectLimit);
        boolean opened = false;
        try {
            connection.waitAtMost(Duration.ofSeconds(60));
            connection.send(
                    new FrameBuilder(FrameType.WATCH).path(path).flag(recursive).build());
            AgentCalls.expectOk(connection);
            connection.waitAtMost(SILENCE);
            opened = true;
        } finally {
            if (!opened) {
                pool.release(connection);
            }
        }
        String root = path.replaceAll("/+$", "");
        return new FileWatch(pool, connection, root.isEmpty() ? "/" : root);
    }

    /** Waits for the next change; empty when the directory itself is gone. */
    public Optional<FileChange> next() {
        if (ended) {
            return Optional.empty();
        }
        try {
            Frame frame = connection.receive();
            while (frame.type() == FrameType.HEARTBEAT) {
                frame.end();
                frame = connection.receive();
            }
            if (frame.type() == FrameType.DATA_END_REPLY) {
                frame.end();
                ended = true;
                connection.markComplete();
                pool.release(connection);
                return Optional.empty();
            }
            if (frame.type() != FrameType.CHANGE) {
                throw frame.unexpected();
            }
            return Optional.of(FileChange.read(frame, root));
        } catch (IOException broken) {
            close();
            throw new PlatformException(
                    ErrorCode.UNAVAILABLE,
                    "the watch broke off: " + AgentConnection.printable("" + broken.getMessage()),
                    broken);
        }
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            pool.discard(connection);
        }
    }
}
