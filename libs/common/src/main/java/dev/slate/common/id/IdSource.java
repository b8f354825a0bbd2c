package dev.slate.common.id;

import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.UUID;

/** Makes identifiers and random tokens. Thread-safe. */
@Singleton
public class IdSource {
    private final SecureRandom random = new SecureRandom();

    /** A random UUID. */
    public String uuid() {
        return UUID.randomUUID().toString();
    }

    /** Lower-case hexadecimal digits of that many random bytes. */
    public String hex(int bytes) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return HexFormat.of().formatHex(value);
    }
}
