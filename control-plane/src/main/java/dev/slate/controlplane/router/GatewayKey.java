package dev.slate.controlplane.router;

import dev.slate.common.id.IdSource;
import dev.slate.common.secret.SecretValue;
import java.time.Instant;
import java.util.regex.Pattern;

/** What is known of a gateway key: everything but the key. The hash identifies it. */
record GatewayKey(
        String hash, String environment, String prefix, String description, Instant createdAt, boolean revoked) {
    private static final Pattern VALID = Pattern.compile("sl-[0-9a-f]{32}");
    private static final int PREFIX_LENGTH = 11;

    /** A new random key. */
    static SecretValue newKey(IdSource ids) {
        return SecretValue.of("sl-" + ids.hex(16));
    }

    /** Whether a text could be a key. */
    static boolean looksLikeKey(String text) {
        return VALID.matcher(text).matches();
    }

    /** The part of a key that may be shown. */
    static String prefix(SecretValue key) {
        return key.revealText().substring(0, PREFIX_LENGTH);
    }
}
