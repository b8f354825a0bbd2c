package dev.slate.sdk;

import dev.slate.sdk.internal.Failure;
import org.jspecify.annotations.Nullable;

/** Root of everything that this library throws when the platform says no or cannot be asked. */
public class SlateException extends RuntimeException {

    private final String code;
    private final String requestId;

    SlateException(String code, String message, String requestId, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.requestId = requestId;
    }

    private SlateException(Failure failure) {
        this(failure.code(), failure.message(), failure.requestId(), failure.cause());
    }

    /** A stable word for programs, for example {@code ALREADY_EXISTS}. */
    public final String code() {
        return code;
    }

    /** Finds the call in the platform's log; empty when no call was made. */
    public final String requestId() {
        return requestId;
    }

    static SlateException of(Failure failure) {
        if ("IMAGE_BUILD_FAILED".equals(failure.code())) {
            return new BuildFailed(failure);
        }
        return switch (failure.kind()) {
            case INVALID_ARGUMENT -> new InvalidArgument(failure);
            case UNAUTHENTICATED -> new Unauthenticated(failure);
            case PERMISSION_DENIED -> new PermissionDenied(failure);
            case NOT_FOUND -> new NotFound(failure);
            case CONFLICT -> new Conflict(failure);
            case FAILED_PRECONDITION -> new FailedPrecondition(failure);
            case UNSUPPORTED -> new Unsupported(failure);
            case RESOURCE_EXHAUSTED -> new ResourceExhausted(failure);
            case UNAVAILABLE -> new Unavailable(failure);
            case TIMED_OUT -> new TimedOut(failure);
            case CANCELLED -> new Cancelled(failure);
            case INTERNAL -> new SlateException(failure);
        };
    }

    static NotFound notFound(String code, String message) {
        return new NotFound(new Failure(Failure.Kind.NOT_FOUND, code, message, "", null));
    }

    static FailedPrecondition gitMissing() {
        return new FailedPrecondition(new Failure(
                Failure.Kind.FAILED_PRECONDITION,
                "GIT_MISSING",
                "git is not in the image of the sandbox (expected: an image with aptInstall(\"git\"))",
                "",
                null));
    }

    static FailedPrecondition gitUnreadable(Throwable cause) {
        return new FailedPrecondition(new Failure(
                Failure.Kind.FAILED_PRECONDITION,
                "GIT_UNREADABLE",
                "the git of the sandbox answered with something else than its status format, version 2",
                "",
                cause));
    }

    static FailedPrecondition unsafeArchive(String message, Throwable cause) {
        return new FailedPrecondition(new Failure(
                Failure.Kind.FAILED_PRECONDITION, "UNSAFE_ARCHIVE", message + ": " + cause.getMessage(), "", cause));
    }

    static Unavailable unavailable(String code, String message) {
        return new Unavailable(new Failure(Failure.Kind.UNAVAILABLE, code, message, "", null));
    }

    /** A value is not acceptable; the message names it and what is expected. */
    public static final class InvalidArgument extends SlateException {
        private InvalidArgument(Failure failure) {
            super(failure);
        }
    }

    /** Nobody is signed in, or the token is not valid any more. */
    public static final class Unauthenticated extends SlateException {
        private Unauthenticated(Failure failure) {
            super(failure);
        }
    }

    /** The caller's role lacks a permission, which the message names. */
    public static final class PermissionDenied extends SlateException {
        private PermissionDenied(Failure failure) {
            super(failure);
        }
    }

    /** There is no such thing, or it belongs to somebody else. */
    public static final class NotFound extends SlateException {
        private NotFound(Failure failure) {
            super(failure);
        }
    }

    /** The name is taken, or somebody else changed the same thing. */
    public static final class Conflict extends SlateException {
        private Conflict(Failure failure) {
            super(failure);
        }
    }

    /** Not possible in the present state, for example an exec in a sandbox that has ended. */
    public static final class FailedPrecondition extends SlateException {
        private FailedPrecondition(Failure failure) {
            super(failure);
        }
    }

    /** This install cannot do or enforce what was asked. */
    public static final class Unsupported extends SlateException {
        private Unsupported(Failure failure) {
            super(failure);
        }
    }

    /** A limit of the environment or the machine is reached. */
    public static final class ResourceExhausted extends SlateException {
        private ResourceExhausted(Failure failure) {
            super(failure);
        }
    }

    /** The platform cannot be reached; the same call may work later. */
    public static final class Unavailable extends SlateException {
        private Unavailable(Failure failure) {
            super(failure);
        }
    }

    /** No answer in time. */
    public static final class TimedOut extends SlateException {
        private TimedOut(Failure failure) {
            super(failure);
        }
    }

    /** The calling thread was interrupted, or the handle was closed meanwhile. */
    public static final class Cancelled extends SlateException {
        private Cancelled(Failure failure) {
            super(failure);
        }
    }

    /** A sandbox ended instead of running; {@link #sandbox()} says why. */
    public static final class SandboxFailed extends SlateException {
        private final transient SandboxInfo sandbox;

        SandboxFailed(SandboxInfo sandbox) {
            super("SANDBOX_FAILED", message(sandbox), "", null);
            this.sandbox = sandbox;
        }

        public SandboxInfo sandbox() {
            return sandbox;
        }

        private static String message(SandboxInfo sandbox) {
            var name = sandbox.name().isEmpty() ? sandbox.id() : sandbox.name();
            var reason = sandbox.message().isEmpty() ? sandbox.cause().word() : sandbox.message();
            return "sandbox " + name + " is " + sandbox.state().word() + ": " + reason;
        }
    }

    /** A command ended with another exit code than 0; thrown by {@link ExecResult#orThrow()} only. */
    public static final class ExecFailed extends SlateException {
        private final transient ExecResult result;

        ExecFailed(ExecResult result, String message) {
            super("EXEC_FAILED", message, "", null);
            this.result = result;
        }

        public ExecResult result() {
            return result;
        }
    }

    /** An image could not be built; the message holds the end of the failed step's output. */
    public static final class BuildFailed extends SlateException {
        private BuildFailed(Failure failure) {
            super(failure);
        }
    }
}
