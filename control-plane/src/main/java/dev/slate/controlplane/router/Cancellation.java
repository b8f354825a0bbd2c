package dev.slate.controlplane.router;

/** Ends the work for a client that has gone. Thread-safe. */
final class Cancellation {
    private Runnable action = () -> {};
    private boolean cancelled;

    /** What ends the work from now on; runs at once if the client has gone already. */
    void onCancel(Runnable next) {
        synchronized (this) {
            if (!cancelled) {
                action = next;
                return;
            }
        }
        next.run();
    }

    /** The client has gone. */
    void cancel() {
        Runnable last;
        synchronized (this) {
            cancelled = true;
            last = action;
        }
        last.run();
    }
}
