package dev.slate.sdk.internal;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A call in which both sides stream. One thread may read while another writes; closing it, from any thread, ends the
 * call for both, at the latest after two seconds.
 */
public final class DuplexCall<Q, R> implements AutoCloseable {

    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final AtomicBoolean requestsEnded = new AtomicBoolean();
    private final BlockingClientCall<Q, R> call;
    private final Function<StatusRuntimeException, RuntimeException> failures;

    DuplexCall(BlockingClientCall<Q, R> call, Function<StatusRuntimeException, RuntimeException> failures) {
        this.call = call;
        this.failures = failures;
    }

    /** Waits until the connection has room; false once either side has ended the call. */
    public boolean write(Q request) {
        try {
            return call.write(request);
        } catch (IllegalStateException _) {
            // Another thread ended the requests meanwhile.
            return false;
        } catch (StatusException e) {
            throw failures.apply(e.getStatus().asRuntimeException(e.getTrailers()));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** No more requests follow. Repeatable. */
    public void endRequests() {
        if (requestsEnded.compareAndSet(false, true)) {
            call.halfClose();
        }
    }

    /** Waits for the next reply; empty when the server has ended the call. */
    public Optional<R> read() {
        try {
            return Optional.ofNullable(call.read());
        } catch (StatusException e) {
            throw failures.apply(e.getStatus().asRuntimeException(e.getTrailers()));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Returns at once. */
    @Override
    public void close() {
        endRequests();
        Thread.ofVirtual().name("call-end").start(this::awaitEnd);
    }

    /**
     * Lets the server end the call. To cancel it resets its HTTP/2 stream, and a server takes many resets for an attack
     * (CVE-2023-44487): it would break the connection that all calls share.
     */
    private void awaitEnd() {
        long deadline = System.nanoTime() + END_LIMIT.toNanos();
        try {
            boolean open = true;
            while (open && System.nanoTime() < deadline) {
                open = call.read(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS) != null;
            }
        } catch (InterruptedException | TimeoutException | StatusException _) {
            // Cancelled below, which is nothing for one that has ended.
        }
        call.cancel("closed by the client", null);
    }

    private RuntimeException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return failures.apply(Status.CANCELLED.withCause(e).asRuntimeException());
    }
}
