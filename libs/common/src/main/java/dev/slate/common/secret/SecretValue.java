package dev.slate.common.secret;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/** Bytes that must not be printed: {@link #toString} gives {@code ***}. Immutable. */
public final class SecretValue {
    private final byte[] bytes;

    private SecretValue(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A copy of the bytes. */
    public static SecretValue of(byte[] bytes) {
        return new SecretValue(bytes.clone());
    }

    /** The UTF-8 bytes of a text. */
    public static SecretValue of(String text) {
        return new SecretValue(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A copy of the bytes; only for code that encrypts, swaps or delivers them. */
    public byte[] reveal() {
        return bytes.clone();
    }

    /** The value as UTF-8 text; only for code that encrypts, swaps or delivers it. */
    public String revealText() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Length in bytes. */
    public int length() {
        return bytes.length;
    }

    /** Compares in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof SecretValue that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "***";
    }
}
