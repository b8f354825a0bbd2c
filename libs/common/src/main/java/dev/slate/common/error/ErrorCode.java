package dev.slate.common.error;

/** What went wrong, as a stable code that clients may match; the kind says what a client should do about it. */
public enum ErrorCode {
    /** A value in the request is malformed or out of range. */
    INVALID_ARGUMENT(Kind.INVALID_ARGUMENT),
    /** No valid token came with the request. */
    UNAUTHENTICATED(Kind.UNAUTHENTICATED),
    /** The caller lacks a permission. */
    PERMISSION_DENIED(Kind.PERMISSION_DENIED),
    /** Unknown, or of another environment. */
    NOT_FOUND(Kind.NOT_FOUND),
    /** The name is taken. */
    ALREADY_EXISTS(Kind.CONFLICT),
    /** The same request id came with another body. */
    IDEMPOTENCY_CONFLICT(Kind.CONFLICT),
    /** Somebody else changed it meanwhile. */
    CONFLICT(Kind.CONFLICT),
    /** The thing is not in a state that allows this, for example a command in a sandbox that has ended. */
    FAILED_PRECONDITION(Kind.FAILED_PRECONDITION),
    /** The sandbox ended before it ran. */
    SANDBOX_FAILED(Kind.FAILED_PRECONDITION),
    /** A step of an image build failed. */
    IMAGE_BUILD_FAILED(Kind.FAILED_PRECONDITION),
    /** A limit or the capacity is reached. */
    RESOURCE_EXHAUSTED(Kind.RESOURCE_EXHAUSTED),
    /** This install cannot enforce or do what was asked. */
    UNSUPPORTED(Kind.UNSUPPORTED),
    /** A part that is needed does not answer; trying again may help. */
    UNAVAILABLE(Kind.UNAVAILABLE),
    /** The time limit of the call passed. */
    DEADLINE_EXCEEDED(Kind.DEADLINE_EXCEEDED),
    /** The caller gave up. */
    CANCELLED(Kind.CANCELLED),
    /** A fault of the platform; the message stays in its log. */
    INTERNAL(Kind.INTERNAL);

    /** Groups codes by what a client should do; maps one to one to a gRPC status and an HTTP status. */
    public enum Kind {
        INVALID_ARGUMENT(400),
        UNAUTHENTICATED(401),
        PERMISSION_DENIED(403),
        NOT_FOUND(404),
        CONFLICT(409),
        FAILED_PRECONDITION(412),
        RESOURCE_EXHAUSTED(429),
        CANCELLED(499),
        INTERNAL(500),
        UNSUPPORTED(501),
        UNAVAILABLE(503),
        DEADLINE_EXCEEDED(504);

        private final int httpStatus;

        Kind(int httpStatus) {
            this.httpStatus = httpStatus;
        }

        /** The HTTP status of this kind. */
        public int httpStatus() {
            return httpStatus;
        }
    }

    private final Kind kind;

    ErrorCode(Kind kind) {
        this.kind = kind;
    }

    /** The group of this code. */
    public Kind kind() {
        return kind;
    }
}
