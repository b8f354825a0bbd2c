package dev.slate.sdk;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Something that must not end up in a log: prints as {@code ***}. */
public final class SecretValue {

    private final byte[] bytes;

    private SecretValue(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    public static SecretValue of(String text) {
        return new SecretValue(text.getBytes(StandardCharsets.UTF_8));
    }

    public static SecretValue of(byte[] bytes) {
        return new SecretValue(bytes);
    }

    public String reveal() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public byte[] revealBytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SecretValue that && Arrays.equals(bytes, that.bytes);
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
