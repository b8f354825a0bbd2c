package dev.slate.tree.layer;

import java.io.IOException;
import java.io.OutputStream;

/** Counts what goes through; leaves the stream below open, because its owner closes it. */
final class CountingOutputStream extends OutputStream {
    private final OutputStream out;
    private long count;

    CountingOutputStream(OutputStream out) {
        this.out = out;
    }

    long count() {
        return count;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        count++;
    }

    @Override
    public void write(byte[] buffer, int offset, int length) throws IOException {
        out.write(buffer, offset, length);
        count += length;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
