package dev.slate.sdk;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Immutable bytes that a command wrote. */
public final class Output {

    private final byte[] bytes;

    /** Takes the array over. */
    Output(byte[] bytes) {
        this.bytes = bytes;
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    /** As UTF-8; a piece may end within a character. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public int size() {
        return bytes.length;
    }

    /** The array itself, for use within the library only. */
    byte[] shared() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Output that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return text();
    }
}
