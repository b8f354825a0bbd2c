package dev.slate.tree;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The SHA-256 name of some bytes; its text form is tagged, so that another algorithm can be added. */
public record Digest(String hex) implements Comparable<Digest> {
    private static final String TAG = "sha256:";
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

    public Digest {
        if (!HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException("digest: " + hex + " (expected: 64 lower-case hexadecimal digits)");
        }
    }

    public static Digest parse(String text) {
        if (!text.startsWith(TAG)) {
            throw new IllegalArgumentException("digest: " + text + " (expected: sha256:<hex>)");
        }
        return new Digest(text.substring(TAG.length()));
    }

    public static Digest of(byte[] bytes) {
        return named(sha256().digest(bytes));
    }

    /** The name of what was fed to the message digest, which is reset. */
    public static Digest of(MessageDigest state) {
        return named(state.digest());
    }

    private static Digest named(byte[] value) {
        return new Digest(HexFormat.of().formatHex(value));
    }

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public int compareTo(Digest other) {
        return hex.compareTo(other.hex);
    }

    @Override
    public String toString() {
        return TAG + hex;
    }
}
