package dev.slate.common.grpc;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The replies of a streaming call. {@link #send} waits until the client can take more, so memory stays bounded.
 * Confined to the thread that runs the call.
 */
public final class Replies<T> {
    /** A client that takes nothing for this long is given up. */
    private static final long STALLED_SECONDS = 300;

    private final StreamObserver<T> observer;
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
        if (observer instanceof ServerCallStreamObserver<T> call) {
            awaitReady(call);
        }
        observer.onNext(reply);
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

    private void awaitReady(ServerCallStreamObserver<T> call) {
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
