package dev.slate.controlplane.agent;

import dev.slate.common.error.PlatformException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Builds one frame to the agent. Confined to one thread. */
final class FrameBuilder {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream(64);

    FrameBuilder(int type) {
        u8(Frame.VERSION).u8(type);
    }

    FrameBuilder u8(int value) {
        body.write(value);
        return this;
    }

    FrameBuilder flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    FrameBuilder u16(int value) {
        return raw(ByteBuffer.allocate(2).putShort((short) value).array());
    }

    FrameBuilder u32(int value) {
        return raw(ByteBuffer.allocate(4).putInt(value).array());
    }

    FrameBuilder u64(long value) {
        return raw(ByteBuffer.allocate(8).putLong(value).array());
    }

    FrameBuilder bytes(byte[] value) {
        return u32(value.length).raw(value);
    }

    FrameBuilder text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** A path or name in its text form. */
    FrameBuilder path(String value) {
        return bytes(PathText.bytes(value));
    }

    FrameBuilder raw(byte[] value) {
        return raw(value, value.length);
    }

    FrameBuilder raw(byte[] value, int count) {
        body.write(value, 0, count);
        return this;
    }

    /** The frame with its length in front; a request that is too large for the protocol is refused here. */
    byte[] build() {
        if (body.size() > Frame.MAX_BODY) {
            throw PlatformException.invalid("request size", body.size(), "at most " + Frame.MAX_BODY + " bytes");
        }
        return ByteBuffer.allocate(4 + body.size())
                .putInt(body.size())
                .put(body.toByteArray())
                .array();
    }
}
