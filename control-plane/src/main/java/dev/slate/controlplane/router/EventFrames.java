package dev.slate.controlplane.router;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a stream of server-sent events into whole frames without changing a byte: a frame ends with an empty line, and
 * lines end with LF, CR LF or CR. Confined to one thread.
 */
final class EventFrames {
    private final ByteArrayOutputStream open = new ByteArrayOutputStream();
    /** Bytes of the current line; 0 right after a line end. */
    private int lineLength;

    private boolean afterCarriageReturn;

    /** The frames that these bytes complete. */
    List<byte[]> accept(byte[] bytes) {
        List<byte[]> frames = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < bytes.length; at++) {
            byte next = bytes[at];
            if (next == '\n' && afterCarriageReturn) {
                // The second half of a CR LF, which ended a line already.
                afterCarriageReturn = false;
                if (start == at && open.size() == 0 && !frames.isEmpty()) {
                    frames.set(frames.size() - 1, plus(frames.getLast(), next));
                    start = at + 1;
                }
                continue;
            }
            afterCarriageReturn = next == '\r';
            if (next != '\n' && next != '\r') {
                lineLength++;
                continue;
            }
            if (lineLength > 0) {
                lineLength = 0;
                continue;
            }
            open.write(bytes, start, at + 1 - start);
            frames.add(open.toByteArray());
            open.reset();
            start = at + 1;
        }
        open.write(bytes, start, bytes.length - start);
        return frames;
    }

    /** What is left of a frame whose end has not come. */
    byte[] rest() {
        return open.toByteArray();
    }

    private static byte[] plus(byte[] frame, byte last) {
        byte[] longer = Arrays.copyOf(frame, frame.length + 1);
        longer[frame.length] = last;
        return longer;
    }
}
