package dev.slate.controlplane.agent;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A frame from the agent. Reading never allocates more than {@link #MAX_BODY}; every value is checked against the
 * payload, and {@link #end} makes sure that nothing is left over. Confined to one thread.
 */
final class Frame {
    static final int VERSION = 1;
    static final int MAX_BODY = 1 << 20;
    private static final int HEADER = 6;

    private final int type;
    private final ByteBuffer payload;

    private Frame(int type, ByteBuffer payload) {
        this.type = type;
        this.payload = payload;
    }

    /** Waits for the next frame; an end of the stream is an {@link EOFException}. */
    static Frame read(InputStream input) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(exactly(input, HEADER));
        int length = header.getInt();
        if (length < 2 || length > MAX_BODY) {
            throw new AgentProtocolException("frame length: " + length + " (expected: 2 to " + MAX_BODY + ")");
        }
        int version = Byte.toUnsignedInt(header.get());
        if (version != VERSION) {
            throw new AgentProtocolException("frame version: " + version + " (expected: " + VERSION + ")");
        }
        int type = Byte.toUnsignedInt(header.get());
        return new Frame(type, ByteBuffer.wrap(exactly(input, length - 2)));
    }

    private static byte[] exactly(InputStream input, int count) throws IOException {
        byte[] bytes = new byte[count];
        if (input.readNBytes(bytes, 0, count) < count) {
            throw new EOFException("the agent closed the connection");
        }
        return bytes;
    }

    int type() {
        return type;
    }

    int u8() throws AgentProtocolException {
        return Byte.toUnsignedInt(need(1).get());
    }

    int u16() throws AgentProtocolException {
        return Short.toUnsignedInt(need(2).getShort());
    }

    /** A u32 that must fit into an int. */
    int u32() throws AgentProtocolException {
        return positive(need(4).getInt());
    }

    /** A u32 of any value. */
    long wide32() throws AgentProtocolException {
        return Integer.toUnsignedLong(need(4).getInt());
    }

    /** A u64 that must fit into a long. */
    long u64() throws AgentProtocolException {
        long value = need(8).getLong();
        if (value < 0) {
            throw new AgentProtocolException(
                    "number: " + Long.toUnsignedString(value) + " (expected: at most 2^63 - 1)");
        }
        return value;
    }

    long i64() throws AgentProtocolException {
        return need(8).getLong();
    }

    boolean flag() throws AgentProtocolException {
        return switch (u8()) {
            case 0 -> false;
            case 1 -> true;
            default -> throw new AgentProtocolException("flag is neither 0 nor 1");
        };
    }

    byte[] bytes() throws AgentProtocolException {
        int length = u32();
        need(length);
        byte[] value = new byte[length];
        payload.get(value);
        return value;
    }

    /** UTF-8 text; anything else is a protocol error. */
    String text() throws AgentProtocolException {
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes()));
            return decoded.toString();
        } catch (CharacterCodingException e) {
            throw new AgentProtocolException("text is not UTF-8");
        }
    }

    /** Everything up to the end of the payload. */
    byte[] rest() {
        byte[] value = new byte[payload.remaining()];
        payload.get(value);
        return value;
    }

    /** Must be called after the last value. */
    void end() throws AgentProtocolException {
        if (payload.hasRemaining()) {
            throw new AgentProtocolException("frame type " + type + " has " + payload.remaining() + " bytes too many");
        }
    }

    AgentProtocolException unexpected() {
        return new AgentProtocolException("unexpected frame type: 0x" + Integer.toHexString(type));
    }

    @CanIgnoreReturnValue
    private ByteBuffer need(int count) throws AgentProtocolException {
        if (payload.remaining() < count) {
            throw new AgentProtocolException("frame type " + type + " is too short");
        }
        return payload;
    }

    private static int positive(int value) throws AgentProtocolException {
        if (value < 0) {
            throw new AgentProtocolException(
                    "number: " + Integer.toUnsignedString(value) + " (expected: at most 2^31 - 1)");
        }
        return value;
    }
}
