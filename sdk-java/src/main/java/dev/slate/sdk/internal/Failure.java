package dev.slate.sdk.internal;

import org.jspecify.annotations.Nullable;

/** A call that did not work, in words of no protocol. */
public record Failure(
        Kind kind,
        String code,
        String message,
        String requestId,
        @Nullable Throwable cause) {

    /** What a caller may do about it. */
    public enum Kind {
        INVALID_ARGUMENT,
        UNAUTHENTICATED,
        PERMISSION_DENIED,
        NOT_FOUND,
        CONFLICT,
        FAILED_PRECONDITION,
        UNSUPPORTED,
        RESOURCE_EXHAUSTED,
        UNAVAILABLE,
        TIMED_OUT,
        CANCELLED,
        INTERNAL
    }
}
