package dev.slate.controlplane.agent;

import dev.slate.common.error.PlatformException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Names of files, which are bytes, as text without loss. Valid UTF-8 is itself. Any other byte, 0x80 to 0xFF, is the
 * character U+10FF00 + byte; so is each of the four bytes of a character from U+10FF80 to U+10FFFF, for private use,
 * that a name happens to hold.
 */
final class PathText {
    private static final int ESCAPE = 0x10FF00;
    private static final int FIRST_ESCAPED = ESCAPE + 0x80;

    private PathText() {}

    static String text(byte[] name) {
        StringBuilder text = new StringBuilder(name.length);
        var decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer input = ByteBuffer.wrap(name);
        CharBuffer valid = CharBuffer.allocate(name.length);
        while (input.hasRemaining()) {
            CoderResult result = decoder.decode(input, valid, true);
            valid.flip().codePoints().forEach(character -> append(text, character));
            valid.clear();
            for (int left = result.isError() ? result.length() : 0; left > 0; left--) {
                escape(text, input.get());
            }
        }
        return text.toString();
    }

    static byte[] bytes(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        text.codePoints().forEach(character -> {
            if (character >= FIRST_ESCAPED) {
                bytes.write(character - ESCAPE);
            } else if (Character.getType(character) == Character.SURROGATE) {
                throw PlatformException.invalid("path", text, "no half of a surrogate pair");
            } else {
                bytes.writeBytes(Character.toString(character).getBytes(StandardCharsets.UTF_8));
            }
        });
        return bytes.toByteArray();
    }

    private static void append(StringBuilder text, int character) {
        if (character < FIRST_ESCAPED) {
            text.appendCodePoint(character);
            return;
        }
        for (byte part : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
            escape(text, part);
        }
    }

    private static void escape(StringBuilder text, byte value) {
        text.appendCodePoint(ESCAPE + Byte.toUnsignedInt(value));
    }
}
