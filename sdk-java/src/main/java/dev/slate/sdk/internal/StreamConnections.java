package dev.slate.sdk.internal;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives each call a connection of its own while it lasts. HTTP/2 servers take what waits for one reader for a load of the
 * whole connection: readers that stop would hold up every other call on it. Some free connections are kept for the next
 * calls. Thread-safe.
 */
final class StreamConnections extends Channel implements AutoCloseable {

    private static final int MOST_FREE = 8;

    private final String authority;
    private final Supplier<ManagedChannel> connect;
    private final Deque<ManagedChannel> free = new ArrayDeque<>();
    private final Set<ManagedChannel> used = new HashSet<>();
    private boolean closed;

    StreamConnections(String authority, Supplier<ManagedChannel> connect) {
        this.authority = authority;
        this.connect = connect;
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
        var connection = take();
        return new Leased<>(connection.newCall(method, options), new Lease(connection));
    }

    @Override
    public String authority() {
        return authority;
    }

    /** Ends all calls. */
    @Override
    public synchronized void close() {
        closed = true;
        free.forEach(ManagedChannel::shutdownNow);
        used.forEach(ManagedChannel::shutdownNow);
    }

    private synchronized ManagedChannel take() {
        var connection = free.isEmpty() ? connect.get() : free.pop();
        if (closed) {
            connection.shutdownNow();
        }
        used.add(connection);
        return connection;
    }

    private synchronized void giveBack(ManagedChannel connection, boolean works) {
        used.remove(connection);
        if (closed || !works || free.size() >= MOST_FREE) {
            connection.shutdown();
        } else {
            free.push(connection);
        }
    }

    /** The use of a connection by one call, which ends once. */
    private final class Lease {

        private final ManagedChannel connection;
        private final AtomicBoolean ended = new AtomicBoolean();

        Lease(ManagedChannel connection) {
            this.connection = connection;
        }

        /** A connection that failed waits longer and longer before it tries again; a new one tries at once. */
        void end(boolean works) {
            if (ended.compareAndSet(false, true)) {
                giveBack(connection, works);
            }
        }
    }

    private static final class Leased<Q, R> extends SimpleForwardingClientCall<Q, R> {

        private final Lease lease;
        private volatile boolean started;

        Leased(ClientCall<Q, R> call, Lease lease) {
            super(call);
            this.lease = lease;
        }

        @Override
        public void start(Listener<R> listener, Metadata headers) {
            started = true;
            super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            lease.end(status.getCode() != Status.Code.UNAVAILABLE);
                            super.onClose(status, trailers);
                        }
                    },
                    headers);
        }

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            super.cancel(message, cause);
            if (!started) {
                lease.end(true);
            }
        }
    }
}
