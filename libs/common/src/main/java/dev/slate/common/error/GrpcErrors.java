package dev.slate.common.error;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The only place where failures become gRPC statuses and back. */
public final class GrpcErrors {
    /** Trailer with the name of the {@link ErrorCode}. */
    public static final Metadata.Key<String> CODE =
            Metadata.Key.of("slate-error-code", Metadata.ASCII_STRING_MARSHALLER);

    private static final Logger LOG = Logger.getLogger(GrpcErrors.class);

    private GrpcErrors() {}

    /** The status for a failure. An unexpected one is logged here, once, and its message hidden behind an incident id. */
    public static StatusRuntimeException toStatus(Throwable failure) {
        if (failure instanceof StatusRuntimeException status) {
            return status;
        }
        if (failure instanceof PlatformException known && known.code() != ErrorCode.INTERNAL) {
            return status(known.code(), known.getMessage());
        }
        String incident = UUID.randomUUID().toString();
        LOG.errorf(failure, "internal error incident=%s", incident);
        return status(ErrorCode.INTERNAL, "internal error, incident " + incident + " (see the log of the platform)");
    }

    /** The failure that a service of ours reported. */
    public static PlatformException fromStatus(StatusRuntimeException failure) {
        return fromStatus(failure.getStatus(), failure.getTrailers(), failure);
    }

    /** The failure that a service of ours reported. */
    public static PlatformException fromStatus(StatusException failure) {
        return fromStatus(failure.getStatus(), failure.getTrailers(), failure);
    }

    private static PlatformException fromStatus(Status status, @Nullable Metadata trailers, Throwable cause) {
        String description = status.getDescription() == null ? status.getCode().name() : status.getDescription();
        return new PlatformException(code(status, trailers), description, cause);
    }

    private static ErrorCode code(Status status, @Nullable Metadata trailers) {
        String name = trailers == null ? null : trailers.get(CODE);
        if (name != null) {
            for (ErrorCode code : ErrorCode.values()) {
                if (code.name().equals(name)) {
                    return code;
                }
            }
        }
        return switch (status.getCode()) {
            case INVALID_ARGUMENT, OUT_OF_RANGE -> ErrorCode.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
            case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
            case NOT_FOUND -> ErrorCode.NOT_FOUND;
            case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
            case ABORTED -> ErrorCode.CONFLICT;
            case FAILED_PRECONDITION -> ErrorCode.FAILED_PRECONDITION;
            case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
            case UNIMPLEMENTED -> ErrorCode.UNSUPPORTED;
            case UNAVAILABLE -> ErrorCode.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case CANCELLED -> ErrorCode.CANCELLED;
            case OK, UNKNOWN, DATA_LOSS, INTERNAL -> ErrorCode.INTERNAL;
        };
    }

    private static StatusRuntimeException status(ErrorCode code, @Nullable String message) {
        Metadata trailers = new Metadata();
        trailers.put(CODE, code.name());
        Status.Code status = switch (code.kind()) {
            case INVALID_ARGUMENT -> Status.Code.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
            case PERMISSION_DENIED -> Status.Code.PERMISSION_DENIED;
            case NOT_FOUND -> Status.Code.NOT_FOUND;
            case CONFLICT -> code == ErrorCode.CONFLICT ? Status.Code.ABORTED : Status.Code.ALREADY_EXISTS;
            case FAILED_PRECONDITION -> Status.Code.FAILED_PRECONDITION;
            case RESOURCE_EXHAUSTED -> Status.Code.RESOURCE_EXHAUSTED;
            case UNSUPPORTED -> Status.Code.UNIMPLEMENTED;
            case UNAVAILABLE -> Status.Code.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> Status.Code.DEADLINE_EXCEEDED;
            case CANCELLED -> Status.Code.CANCELLED;
            case INTERNAL -> Status.Code.INTERNAL;
        };
        return status.toStatus().withDescription(message).asRuntimeException(trailers);
    }
}
