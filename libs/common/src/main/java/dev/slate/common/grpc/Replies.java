package dev.slate.common.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The replies of a streaming call. {@link #send} waits until the client can take more, so memory stays bounded.
 * Confined to the thread that runs the call.
 *
 * <p>Two things the server leaves to us. Whether a call is ready it knows only once its event loop has written what was
 * sent before, so only a bounded amount is handed to that loop; otherwise a reader that stops would leave any amount there.
 * And once the unread bytes of all calls of a connection reach its window, it takes none of these calls for ready, also
 * those whose client reads: so each may send a little nevertheless.
 */
public final class Replies<T> {
    /** A client that takes nothing for this long is given up. */
    private static final long STALLED_SECONDS = 300;

    /** Bytes between two marks; at most twice as many, and one reply, wait for the loop. */
    private static final int MARK = 256 * 1024;

    /** About what a reply takes besides its bytes. */
    private static final int OVERHEAD = 256;

    /** Bytes sent though the call is not ready: enough for a short call, and little if its client does not read. */
    private static final int SENT_UNREADY = 16 * 1024;

    private final StreamObserver<T> observer;

    /** Where the server writes; none for a call within the process. */
    private final @Nullable Context loop = Vertx.currentContext();

    /** Done when the loop has written all replies up to the last mark, and up to the one before. */
    private CompletableFuture<Boolean> written = CompletableFuture.completedFuture(true);

    private CompletableFuture<Boolean> writtenBefore = written;
    private int sentSinceMark;
    private int sentUnready;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    Replies(StreamObserver<T> observer) {
        this.observer = observer;
        if (observer instanceof ServerCallStreamObserver<T> call) {
            call.setOnReadyHandler(this::wake);
            call.setOnCancelHandler(this::wake);
        }
    }

    /** Sends one reply; throws {@link ClientGoneException} when nobody reads any more. */
    public void send(T reply) {
        int size = OVERHEAD + (reply instanceof MessageLite message ? message.getSerializedSize() : 0);
        if (observer instanceof ServerCallStreamObserver<T> call) {
            awaitReady(call, size);
        }
        observer.onNext(reply);
        sentSinceMark += size;
        if (loop != null && sentSinceMark >= MARK) {
            mark(loop);
        }
    }

    private void mark(Context loop) {
        awaitWritten(writtenBefore);
        CompletableFuture<Boolean> passed = new CompletableFuture<>();
        writtenBefore = written;
        written = passed;
        sentSinceMark = 0;
        loop.runOnContext(_ -> passed.complete(true));
    }

    /** True once the client has gone. */
    public boolean cancelled() {
        return observer instanceof ServerCallStreamObserver<T> call && call.isCancelled();
    }

    void complete() {
        if (!cancelled()) {
            observer.onCompleted();
        }
    }

    void fail(StatusRuntimeException status) {
        if (!cancelled()) {
            observer.onError(status);
        }
    }

    private static void awaitWritten(CompletableFuture<Boolean> written) {
        if (written.isDone()) {
            return;
        }
        try {
            var _ = written.get(STALLED_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new ClientGoneException();
        } catch (ExecutionException | TimeoutException _) {
            throw new ClientGoneException();
        }
    }

    private void awaitReady(ServerCallStreamObserver<T> call, int size) {
        if (call.isReady()) {
            sentUnready = 0;
        } else if (sentUnready + size <= SENT_UNREADY) {
            sentUnready += size;
            return;
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STALLED_SECONDS);
        lock.lock();
        try {
            while (!call.isReady() && !call.isCancelled()) {
                if (System.nanoTime() > deadline) {
                    throw new ClientGoneException();
                }
                // Woken by the ready handler; the short limit covers servers that call it late.
                changed.await(50, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new ClientGoneException();
        } finally {
            lock.unlock();
        }
        if (call.isCancelled()) {
            throw new ClientGoneException();
        }
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
