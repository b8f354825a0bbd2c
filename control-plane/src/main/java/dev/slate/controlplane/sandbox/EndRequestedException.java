package dev.slate.controlplane.sandbox;

/** Stops the start of a sandbox that somebody wants to end meanwhile. */
final class EndRequestedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EndRequestedException(Sandbox sandbox) {
        super("sandbox %s is %s".formatted(sandbox.label(), sandbox.state().word()));
    }
}
