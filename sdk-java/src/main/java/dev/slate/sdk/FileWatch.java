package dev.slate.sdk;

import dev.slate.sdk.internal.EventStream;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Changes below a directory, one at a time, as they come: {@link #hasNext} waits, and is false when the directory
 * itself is gone. Read by one thread; {@link #close}, from any thread, ends it, also a wait.
 *
 * <p>When the connection breaks it throws {@link SlateException.Unavailable}: changes may be lost then, so look what is
 * there and watch again.
 */
public final class FileWatch implements Iterator<FileChange>, AutoCloseable {

    private final EventStream<dev.slate.api.exec.v1.FileChange> changes;
    private volatile boolean closed;
    private @Nullable FileChange next;

    private FileWatch(EventStream<dev.slate.api.exec.v1.FileChange> changes) {
        this.changes = changes;
    }

    /** Returns when the server watches. */
    static FileWatch begin(EventStream<dev.slate.api.exec.v1.FileChange> changes) {
        try {
            changes.next();
        } catch (RuntimeException e) {
            changes.close();
            throw e;
        }
        return new FileWatch(changes);
    }

    @Override
    public boolean hasNext() {
        try {
            while (next == null && !closed && changes.hasNext()) {
                next = change(changes.next());
            }
        } catch (SlateException e) {
            if (!closed) {
                throw e;
            }
        }
        return next != null;
    }

    @Override
    public FileChange next() {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException("nothing is watched any more");
        }
        var change = next;
        next = null;
        return change;
    }

    @Override
    public void close() {
        closed = true;
        changes.close();
    }

    /** Null for a kind that this version does not know. */
    private static @Nullable FileChange change(dev.slate.api.exec.v1.FileChange change) {
        var kind = switch (change.getKind()) {
            case CREATED -> FileChange.Kind.CREATED;
            case MODIFIED -> FileChange.Kind.MODIFIED;
            case REMOVED -> FileChange.Kind.REMOVED;
            case MOVED -> FileChange.Kind.MOVED;
            case OVERFLOW -> FileChange.Kind.OVERFLOW;
            case STARTED, KIND_UNSPECIFIED, UNRECOGNIZED -> null;
        };
        return kind == null ? null : new FileChange(kind, change.getPath(), change.getFrom());
    }
}
