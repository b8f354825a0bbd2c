package dev.slate.common.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The requests of a call in which the client streams. Only a few are taken from the network before they are wanted, so
 * a client waits for the reader. Read by one thread at a time.
 */
public final class Requests<T> {
    private static final int AHEAD = 4;

    private final BlockingQueue<Arrival<T>> arrivals = new LinkedBlockingQueue<>();
    private final ServerCallStreamObserver<?> call;

    private sealed interface Arrival<T> {
        record Message<T>(T value) implements Arrival<T> {}

        record End<T>() implements Arrival<T> {}

        record Gone<T>() implements Arrival<T> {}
    }

    Requests(ServerCallStreamObserver<?> call) {
        this.call = call;
        call.disableAutoRequest();
        call.request(AHEAD);
    }

    /** Waits for the next request; empty at their end. Throws {@link ClientGoneException} if the call has ended. */
    public Optional<T> next() {
        try {
            Arrival<T> arrival = arrivals.take();
            return switch (arrival) {
                case Arrival.Message<T>(var value) -> {
                    call.request(1);
                    yield Optional.of(value);
                }
                case Arrival.End<T> end -> {
                    arrivals.add(end);
                    yield Optional.empty();
                }
                case Arrival.Gone<T> gone -> {
                    arrivals.add(gone);
                    throw new ClientGoneException();
                }
            };
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new ClientGoneException();
        }
    }

    /** Nobody wants more: wakes a reader, who finds the call ended. */
    void close() {
        arrivals.add(new Arrival.Gone<>());
    }

    StreamObserver<T> observer() {
        return new StreamObserver<>() {
            @Override
            public void onNext(T value) {
                arrivals.add(new Arrival.Message<>(value));
            }

            @Override
            public void onError(Throwable failure) {
                arrivals.add(new Arrival.Gone<>());
            }

            @Override
            public void onCompleted() {
                arrivals.add(new Arrival.End<>());
            }
        };
    }
}
