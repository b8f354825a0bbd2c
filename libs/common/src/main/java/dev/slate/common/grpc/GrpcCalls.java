package dev.slate.common.grpc;

import dev.slate.common.error.GrpcErrors;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs the body of a gRPC method on a virtual thread of its own, with the call's context, and turns what it throws into
 * a status. Endpoints carry no {@code @RunOnVirtualThread}: Quarkus then hands the message and the end of a request to
 * two threads, and under load the end overtakes ("Half-closed without a request").
 */
public final class GrpcCalls {
    private static final Executor THREADS = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("grpc-", 0).factory());

    private GrpcCalls() {}

    /** Answers with one reply, or with the status of the failure. */
    public static <T> void unary(StreamObserver<T> observer, Supplier<T> body) {
        THREADS.execute(Context.current().wrap(() -> answer(observer, body)));
    }

    /** Lets the body write any number of replies, waiting whenever the client reads more slowly than they come. */
    public static <T> void stream(StreamObserver<T> observer, Consumer<Replies<T>> body) {
        // Handlers of the call can be set only until the method returns.
        Replies<T> replies = new Replies<>(observer);
        THREADS.execute(Context.current().wrap(() -> write(replies, body)));
    }

    /** Lets the body read requests and write replies, each at the pace of the slower side. */
    public static <Q, R> StreamObserver<Q> duplex(
            StreamObserver<R> observer, BiConsumer<Requests<Q>, Replies<R>> body) {
        Requests<Q> requests = new Requests<>((ServerCallStreamObserver<R>) observer);
        stream(observer, replies -> {
            try {
                body.accept(requests, replies);
            } finally {
                requests.close();
            }
        });
        return requests.observer();
    }

    private static <T> void answer(StreamObserver<T> observer, Supplier<T> body) {
        T reply;
        try {
            reply = body.get();
        } catch (RuntimeException | Error failure) {
            observer.onError(GrpcErrors.toStatus(failure));
            return;
        }
        observer.onNext(reply);
        observer.onCompleted();
    }

    private static <T> void write(Replies<T> replies, Consumer<Replies<T>> body) {
        try {
            body.accept(replies);
        } catch (ClientGoneException _) {
            return;
        } catch (RuntimeException | Error failure) {
            replies.fail(GrpcErrors.toStatus(failure));
            return;
        }
        replies.complete();
    }
}
