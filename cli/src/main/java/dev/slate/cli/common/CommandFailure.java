package dev.slate.cli.common;

/** A command cannot do its work; the message is all that the user needs. */
public final class CommandFailure extends RuntimeException {

    public CommandFailure(String message) {
        super(message);
    }

    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
