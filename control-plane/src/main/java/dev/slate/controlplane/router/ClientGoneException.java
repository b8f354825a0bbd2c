package dev.slate.controlplane.router;

/** The client of an exchange has gone or takes nothing any more, so nothing can be told to it. */
final class ClientGoneException extends RuntimeException {
    ClientGoneException() {
        super("the client has gone", null, false, false);
    }
}
