package dev.slate.cli.sandbox;

import java.io.Console;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongConsumer;

/** How much has been copied, on the error stream of a terminal, at most five times per second. Used by one thread. */
final class CopyProgress implements LongConsumer, AutoCloseable {

    private static final long PAUSE_NANOS = 200_000_000;

    private final boolean shown =
            Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    private final long begun = System.nanoTime();
    private long latest = begun;
    private boolean printed;

    @Override
    public void accept(long bytes) {
        long now = System.nanoTime();
        if (shown && now - latest >= PAUSE_NANOS) {
            latest = now;
            printed = true;
            double mebibytes = bytes / 1048576.0;
            System.err.print(String.format(
                    Locale.ROOT, "\r%.1f MiB, %.1f MiB/s\u001b[K", mebibytes, mebibytes / ((now - begun) / 1e9)));
        }
    }

    /** The stream, with this hearing what is read from it. */
    InputStream of(InputStream in) {
        return new FilterInputStream(in) {
            private long bytes;

            @Override
            public int read() throws IOException {
                int b = super.read();
                accept(bytes += b < 0 ? 0 : 1);
                return b;
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                int count = super.read(buffer, offset, length);
                accept(bytes += Math.max(count, 0));
                return count;
            }
        };
    }

    /** Removes the line. */
    @Override
    public void close() {
        if (printed) {
            System.err.print("\r\u001b[K");
        }
    }
}
