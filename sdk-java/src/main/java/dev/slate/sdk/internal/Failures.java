package dev.slate.sdk.internal;

/** Turns a failure into the exception that a user sees. */
@FunctionalInterface
public interface Failures {

    RuntimeException exception(Failure failure);
}
