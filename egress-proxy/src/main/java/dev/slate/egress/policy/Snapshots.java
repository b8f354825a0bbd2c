package dev.slate.egress.policy;

import java.util.function.UnaryOperator;

/** Holds the snapshot in force. Thread-safe: readers see one volatile field, writers take turns. */
public final class Snapshots {

    private volatile Snapshot current = Snapshot.EMPTY;

    /** The snapshot in force. */
    public Snapshot current() {
        return current;
    }

    /** Swaps the snapshot; on return every new decision is made on the new one. */
    public synchronized void update(UnaryOperator<Snapshot> change) {
        current = change.apply(current);
    }
}
