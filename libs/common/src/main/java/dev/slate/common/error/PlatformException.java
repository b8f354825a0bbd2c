package dev.slate.common.error;

import org.jspecify.annotations.Nullable;

/** A failure that travels up to the endpoint. The message names the value and the expectation and reaches the client. */
public final class PlatformException extends RuntimeException {
    private final ErrorCode code;

    public PlatformException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public PlatformException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** An {@link ErrorCode#INVALID_ARGUMENT} that reads {@code "name: value (expected: …)"}. */
    public static PlatformException invalid(String name, @Nullable Object value, String expected) {
        return new PlatformException(
                ErrorCode.INVALID_ARGUMENT, "%s: %s (expected: %s)".formatted(name, shortened(value), expected));
    }

    /** A {@link ErrorCode#NOT_FOUND} that reads the same for unknown and for foreign things. */
    public static PlatformException notFound(String kind, String id) {
        return new PlatformException(ErrorCode.NOT_FOUND, "%s not found: %s".formatted(kind, shortened(id)));
    }

    /** The stable code. */
    public ErrorCode code() {
        return code;
    }

    private static String shortened(@Nullable Object value) {
        String text = String.valueOf(value);
        return text.length() <= 200 ? text : text.substring(0, 200) + "… (" + text.length() + " characters)";
    }
}
