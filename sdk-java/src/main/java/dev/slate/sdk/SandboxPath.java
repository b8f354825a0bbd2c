package dev.slate.sdk;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Paths in a sandbox are bytes; this library has them as text, without loss. Valid UTF-8 is itself, newlines included.
 * Any other byte, 0x80 to 0xFF, is the character U+10FF00 + byte; so is each of the four bytes of a character from
 * U+10FF80 to U+10FFFF, for private use, that a name happens to hold.
 */
public final class SandboxPath {

    private static final int ESCAPE = 0x10FF00;
    private static final int FIRST_ESCAPED = ESCAPE + 0x80;

    private SandboxPath() {}

    /** The text form of these bytes. */
    public static String of(byte[] path) {
        var text = new StringBuilder(path.length);
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var input = ByteBuffer.wrap(path);
        var valid = CharBuffer.allocate(path.length);
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

    /** The bytes of this text form. */
    public static byte[] bytes(String path) {
        var bytes = new ByteArrayOutputStream(path.length());
        path.codePoints().forEach(character -> {
            if (character >= FIRST_ESCAPED) {
                bytes.write(character - ESCAPE);
            } else if (Character.getType(character) == Character.SURROGATE) {
                throw new IllegalArgumentException("path: " + path + " (expected: no half of a surrogate pair)");
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
