package dev.slate.sdk.internal;

import io.grpc.Context.CancellableContext;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.function.Function;

/** Replies of a streaming call, read one at a time by one thread; closing it, from any thread, ends the call. */
public final class EventStream<R> implements Iterator<R>, AutoCloseable {

    private final CancellableContext context;
    private final Iterator<R> replies;
    private final Function<StatusRuntimeException, RuntimeException> failures;

    EventStream(
            CancellableContext context,
            Iterator<R> replies,
            Function<StatusRuntimeException, RuntimeException> failures) {
        this.context = context;
        this.replies = replies;
        this.failures = failures;
    }

    @Override
    public boolean hasNext() {
        try {
            return replies.hasNext();
        } catch (StatusRuntimeException e) {
            throw failures.apply(e);
        }
    }

    @Override
    public R next() {
        try {
            return replies.next();
        } catch (StatusRuntimeException e) {
            throw failures.apply(e);
        }
    }

    /**
     * After the last reply that matters: waits for the server to end the call. To cancel it instead, while the server
     * ends it too, makes the server break the connection that all calls share.
     */
    public void drain() {
        try {
            while (replies.hasNext()) {
                replies.next();
            }
        } catch (StatusRuntimeException _) {
            // The reply that matters has come.
        }
    }

    @Override
    public void close() {
        context.cancel(null);
    }
}
