package dev.slate.egress.credential;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** What a sandbox holds instead of a secret: a fixed prefix and 128 random bits, worthless anywhere else. */
public record Placeholder(String value) {

    static final String PREFIX = "__slate-secret-";
    static final Pattern PATTERN = Pattern.compile(PREFIX + "[0-9a-f]{32}");

    public Placeholder {
        if (!PATTERN.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "placeholder: " + value + " (expected: " + PREFIX + " and 32 hex digits)");
        }
    }

    /** A new one; every sandbox and every credential gets its own. */
    public static Placeholder random(SecureRandom random) {
        var bytes = new byte[16];
        random.nextBytes(bytes);
        return new Placeholder(PREFIX + HexFormat.of().formatHex(bytes));
    }

    @Override
    public String toString() {
        return value;
    }
}
