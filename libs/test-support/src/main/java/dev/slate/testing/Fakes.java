package dev.slate.testing;

import com.google.protobuf.Timestamp;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;

/** What the fake services share. */
final class Fakes {

    static final Timestamp TIME =
            Timestamp.newBuilder().setSeconds(1_767_225_600).build();

    private Fakes() {}

    static <T> void reply(StreamObserver<T> observer, Supplier<T> reply) {
        try {
            observer.onNext(reply.get());
            observer.onCompleted();
        } catch (StatusRuntimeException e) {
            observer.onError(e);
        }
    }

    static StatusRuntimeException notFound(String what) {
        return Status.NOT_FOUND.withDescription(what + " not found").asRuntimeException(code("NOT_FOUND"));
    }

    static StatusRuntimeException failure(Status status, String code, String message) {
        return status.withDescription(message).asRuntimeException(code(code));
    }

    static Metadata code(String code) {
        var trailers = new Metadata();
        trailers.put(Metadata.Key.of("slate-error-code", Metadata.ASCII_STRING_MARSHALLER), code);
        return trailers;
    }
}
