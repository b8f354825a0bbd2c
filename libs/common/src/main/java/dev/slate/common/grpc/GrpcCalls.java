package dev.slate.common.grpc;

import dev.slate.common.error.GrpcErrors;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs the body of a gRPC method and turns what it throws into a status. */
public final class GrpcCalls {
    private GrpcCalls() {}

    /** Answers with one reply, or with the status of the failure. */
    public static <T> void unary(StreamObserver<T> observer, Supplier<T> body) {
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

    /** Lets the body write any number of replies, waiting whenever the client reads more slowly than they come. */
    public static <T> void stream(StreamObserver<T> observer, Consumer<Replies<T>> body) {
        Replies<T> replies = new Replies<>(observer);
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
