package dev.slate.sdk.internal;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import java.util.Optional;
import java.util.function.Function;

/**
 * A call in which both sides stream. One thread may read while another writes; closing it, from any thread, ends the
 * call for both.
 */
public final class DuplexCall<Q, R> implements AutoCloseable {

    private final BlockingClientCall<Q, R> call;
    private final Function<StatusRuntimeException, RuntimeException> failures;

    DuplexCall(BlockingClientCall<Q, R> call, Function<StatusRuntimeException, RuntimeException> failures) {
        this.call = call;
        this.failures = failures;
    }

    /** Waits until the connection has room; false once the server has ended the call. */
    public boolean write(Q request) {
        try {
            return call.write(request);
        } catch (StatusException e) {
            throw failures.apply(e.getStatus().asRuntimeException(e.getTrailers()));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** No more requests follow. */
    public void endRequests() {
        call.halfClose();
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

    @Override
    public void close() {
        call.cancel("closed by the client", null);
    }

    private RuntimeException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return failures.apply(Status.CANCELLED.withCause(e).asRuntimeException());
    }
}
