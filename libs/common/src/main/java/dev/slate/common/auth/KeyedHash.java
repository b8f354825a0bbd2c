package dev.slate.common.auth;

import dev.slate.common.secret.SecretValue;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA-256 under a key of this install: how random tokens are stored. They have at least 128 random bits, so a slow
 * hash would add nothing; the key makes a stolen database useless for checking guesses. Thread-safe.
 */
public final class KeyedHash {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    public KeyedHash(SecretValue key) {
        this.key = new SecretKeySpec(key.reveal(), ALGORITHM);
    }

    /** The hash of a token, as 64 lower-case hexadecimal digits. */
    public String of(SecretValue token) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(token.reveal()));
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("every Java runtime has " + ALGORITHM, failure);
        }
    }
}
