package dev.slate.tree;

import java.io.IOException;
import java.io.InputStream;

/** Takes the bytes of one file after another and names them. */
@FunctionalInterface
public interface BodySink {
    /** Reads the stream to its end without closing it. */
    Stored put(InputStream body) throws IOException;

    /** The name and the length of what was read. */
    record Stored(Digest digest, long size) {}

    /** Names bodies and keeps nothing. */
    static BodySink digestOnly() {
        return body -> {
            var state = Digest.sha256();
            var buffer = new byte[65_536];
            long size = 0;
            for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
                state.update(buffer, 0, n);
                size += n;
            }
            return new Stored(Digest.of(state), size);
        };
    }
}
