package dev.slate.controlplane.agent;

import dev.slate.common.secret.SecretValue;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Open connections to one agent; some idle ones are kept. Thread-safe. */
final class ConnectionPool implements AutoCloseable {
    private static final int IDLE_KEPT = 16;

    private final InetSocketAddress address;
    private final SecretValue token;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<AgentConnection> idle = new ArrayDeque<>();
    private final Set<AgentConnection> open = new HashSet<>();
    private boolean closed;

    ConnectionPool(InetSocketAddress address, SecretValue token) {
        this.address = address;
        this.token = token;
    }

    /** An idle connection, otherwise a new one. */
    AgentConnection take(Duration connectLimit) throws IOException {
        lock.lock();
        try {
            AgentConnection kept = idle.pollFirst();
            if (kept != null) {
                return kept;
            }
        } finally {
            lock.unlock();
        }
        return connect(connectLimit);
    }

    /** A new connection, for when an old one has just broken. */
    AgentConnection connect(Duration limit) throws IOException {
        if (isClosed()) {
            throw new IOException("the client is closed");
        }
        AgentConnection connection = AgentConnection.open(address, token.reveal(), limit);
        lock.lock();
        try {
            if (!closed) {
                open.add(connection);
                return connection;
            }
        } finally {
            lock.unlock();
        }
        connection.close();
        throw new IOException("the client is closed");
    }

    /** Takes back a connection; one whose operation is not complete is closed. */
    void release(AgentConnection connection) {
        lock.lock();
        try {
            if (!closed && connection.isComplete() && idle.size() < IDLE_KEPT) {
                idle.addFirst(connection);
                return;
            }
        } finally {
            lock.unlock();
        }
        discard(connection);
    }

    /** Closes a connection, whatever it is doing. */
    void discard(AgentConnection connection) {
        connection.close();
        lock.lock();
        try {
            open.remove(connection);
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            idle.clear();
            open.forEach(AgentConnection::close);
            open.clear();
        } finally {
            lock.unlock();
        }
    }
}
