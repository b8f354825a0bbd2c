package dev.slate.image.recipe;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;

/**
 * A SHA-256 over a sequence of values, each with its length before it, so that no two sequences give the same bytes.
 * This is the canonical form of recipes and steps. Confined to one thread.
 */
public final class Fingerprint {
    private final MessageDigest state = sha256();

    /** Starts a fingerprint of one kind of thing; kinds never collide. */
    public Fingerprint(String kind) {
        add("slate.image." + kind + ".v1");
    }

    public Fingerprint add(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        state.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        state.update(bytes);
        return this;
    }

    public Fingerprint add(int value) {
        return add(Integer.toString(value));
    }

    public Fingerprint add(List<String> values) {
        add(values.size());
        values.forEach(this::add);
        return this;
    }

    public Fingerprint add(SortedMap<String, String> values) {
        add(values.size());
        values.forEach((name, value) -> add(name).add(value));
        return this;
    }

    /** The digest as {@code sha256:…}; ends the fingerprint. */
    public String digest() {
        return "sha256:" + HexFormat.of().formatHex(state.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
