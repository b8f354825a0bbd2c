package dev.slate.sdk.internal;

import dev.slate.sdk.internal.Failure.Kind;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/** Reads the failure out of a gRPC status. */
final class GrpcFailures {

    private static final Metadata.Key<String> CODE =
            Metadata.Key.of("slate-error-code", Metadata.ASCII_STRING_MARSHALLER);

    private GrpcFailures() {}

    static Failure read(StatusRuntimeException exception, Endpoint endpoint, String requestId) {
        var status = exception.getStatus();
        var trailers = exception.getTrailers();
        var code = trailers == null ? null : trailers.get(CODE);
        var description = status.getDescription();
        var kind = kind(status.getCode());
        // Every failure of a service has a code; without one, the connection failed, for example by a GOAWAY.
        if ((kind == Kind.UNAVAILABLE || kind == Kind.INTERNAL) && code == null) {
            return new Failure(
                    Kind.UNAVAILABLE, "UNAVAILABLE", unreachable(endpoint, description), requestId, exception);
        }
        if (kind == Kind.CANCELLED && status.getCause() instanceof InterruptedException) {
            return new Failure(kind, "CANCELLED", "the calling thread was interrupted", requestId, exception);
        }
        return new Failure(
                kind,
                code == null ? status.getCode().name() : code,
                description == null ? status.getCode().name() : description,
                requestId,
                exception);
    }

    static String unreachable(Endpoint endpoint, @Nullable String reason) {
        var hint = endpoint.loopback() ? "; is the platform running? Start it with: slate up" : "";
        return "cannot reach Slate at " + endpoint + (reason == null ? "" : " (" + reason + ")") + hint;
    }

    private static Kind kind(Status.Code code) {
        return switch (code) {
            case INVALID_ARGUMENT, OUT_OF_RANGE -> Kind.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> Kind.UNAUTHENTICATED;
            case PERMISSION_DENIED -> Kind.PERMISSION_DENIED;
            case NOT_FOUND -> Kind.NOT_FOUND;
            case ALREADY_EXISTS, ABORTED -> Kind.CONFLICT;
            case FAILED_PRECONDITION -> Kind.FAILED_PRECONDITION;
            case UNIMPLEMENTED -> Kind.UNSUPPORTED;
            case RESOURCE_EXHAUSTED -> Kind.RESOURCE_EXHAUSTED;
            case UNAVAILABLE -> Kind.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> Kind.TIMED_OUT;
            case CANCELLED -> Kind.CANCELLED;
            case OK, UNKNOWN, INTERNAL, DATA_LOSS -> Kind.INTERNAL;
        };
    }
}
