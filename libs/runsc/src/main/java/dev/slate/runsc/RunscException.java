package dev.slate.runsc;

/** Something on this host could not be done; the message names what was asked and what the host answered. */
public final class RunscException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String text;

    public RunscException(String message) {
        super(message);
        text = message;
    }

    public RunscException(String message, Throwable cause) {
        super(message, cause);
        text = message;
    }

    @Override
    public String getMessage() {
        return text;
    }
}
