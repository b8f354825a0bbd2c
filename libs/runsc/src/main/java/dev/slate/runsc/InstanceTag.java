package dev.slate.runsc;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Four hex digits that keep the kernel objects of several installations on one host apart. */
public record InstanceTag(String value) {

    private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{4}");

    public InstanceTag {
        if (!SHAPE.matcher(value).matches()) {
            throw new IllegalArgumentException("instance tag: " + value + " (expected: 4 hex digits)");
        }
    }

    /** The tag of the installation that keeps its state under {@code home}. */
    public static InstanceTag of(Path home) {
        byte[] path = home.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(path);
            return new InstanceTag(HexFormat.of().formatHex(digest, 0, 2));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The tag as a number below 65536. */
    int number() {
        return HexFormat.fromHexDigits(value);
    }
}
