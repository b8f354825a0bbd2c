package dev.slate.common.grpc;

/** The client of a streaming call has gone; thrown into the body so that it ends. */
public final class ClientGoneException extends RuntimeException {
    ClientGoneException() {
        super("the client has gone", null, false, false);
    }
}
