package dev.slate.sdk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Splits the log of a command into its two streams. Whoever needs bytes pulls the log, and puts what belongs to the
 * other stream aside. Guarded by a fair lock that is held for one event at a time.
 */
final class ExecOutput {

    private final ReentrantLock lock = new ReentrantLock(true);
    private final ExecLog log;
    private final ArrayDeque<Output> stdout = new ArrayDeque<>();
    private final ArrayDeque<Output> stderr = new ArrayDeque<>();
    private long dropped;
    private boolean gone;
    private Optional<ExecEnd> end = Optional.empty();

    ExecOutput(ExecLog log) {
        this.log = log;
    }

    InputStream stdout() {
        return new Stream(stdout);
    }

    InputStream stderr() {
        return new Stream(stderr);
    }

    Iterator<ExecEvent> events() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                lock.lock();
                try {
                    return log.hasNext();
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public ExecEvent next() {
                lock.lock();
                try {
                    return pull();
                } finally {
                    lock.unlock();
                }
            }
        };
    }

    ExecResult result() {
        while (true) {
            lock.lock();
            try {
                if (end.isPresent()) {
                    return result(end.get());
                }
                keep(pull());
            } finally {
                lock.unlock();
            }
        }
    }

    void close() {
        log.close();
    }

    private ExecEvent pull() {
        var event = log.next();
        switch (event) {
            case ExecEvent.Ended ended -> end = Optional.of(ended.end());
            case ExecEvent.Dropped gap -> dropped += gap.bytes();
            case ExecEvent.LogGone _ -> gone = true;
            case ExecEvent.Started _, ExecEvent.Stdout _, ExecEvent.Stderr _ -> {}
        }
        return event;
    }

    private void keep(ExecEvent event) {
        switch (event) {
            case ExecEvent.Stdout piece -> stdout.add(piece.bytes());
            case ExecEvent.Stderr piece -> stderr.add(piece.bytes());
            case ExecEvent.Ended ended -> keepReason(ended.end());
            case ExecEvent.Started _, ExecEvent.Dropped _, ExecEvent.LogGone _ -> {}
        }
    }

    /** Where a shell would print it. */
    private void keepReason(ExecEnd how) {
        if (how instanceof ExecEnd.NotStarted failure) {
            stderr.add(new Output((failure.message() + "\n").getBytes(StandardCharsets.UTF_8)));
        }
    }

    private ExecResult result(ExecEnd how) {
        if (how instanceof ExecEnd.Lost(var message)) {
            throw SlateException.unavailable("UNAVAILABLE", message);
        }
        return new ExecResult(how, join(stdout), join(stderr), dropped, gone);
    }

    private static Output join(Iterable<Output> pieces) {
        var joined = new ByteArrayOutputStream();
        pieces.forEach(piece -> joined.writeBytes(piece.shared()));
        return new Output(joined.toByteArray());
    }

    /** The next piece, or null at the end of the command. */
    private @Nullable Output take(ArrayDeque<Output> mine) {
        while (true) {
            lock.lock();
            try {
                var piece = mine.poll();
                if (piece != null || end.isPresent()) {
                    return piece;
                }
                keep(pull());
            } finally {
                lock.unlock();
            }
        }
    }

    private final class Stream extends InputStream {

        private final ArrayDeque<Output> mine;
        private byte[] piece = {};
        private int position;

        Stream(ArrayDeque<Output> mine) {
            this.mine = mine;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (position == piece.length) {
                var next = take(mine);
                if (next == null) {
                    return -1;
                }
                piece = next.shared();
                position = 0;
            }
            var count = Math.min(length, piece.length - position);
            System.arraycopy(piece, position, buffer, offset, count);
            position += count;
            return count;
        }
    }
}
