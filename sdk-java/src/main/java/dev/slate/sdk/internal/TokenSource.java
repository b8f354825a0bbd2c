package dev.slate.sdk.internal;

/** The bearer token to send now. Thread-safe. */
@FunctionalInterface
public interface TokenSource {

    String token();
}
