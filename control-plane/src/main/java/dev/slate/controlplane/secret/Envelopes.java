package dev.slate.controlplane.secret;

import dev.slate.common.auth.KeyFile;
import dev.slate.common.config.HomeConfig;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts values with AES-256-GCM under the key in {@code <home>/keys/secrets.key}. An envelope is a format byte, the
 * version of the key, a random 96-bit nonce, and the ciphertext with its tag. It opens only in the place it was sealed
 * for, so a row copied to another name or environment is refused. Thread-safe.
 */
@Singleton
public class Envelopes {
    private static final byte FORMAT = 1;
    private static final int KEY_VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int HEADER_BYTES = 1 + Integer.BYTES;

    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    @Inject
    Envelopes(HomeConfig config) {
        this(KeyFile.loadOrCreate(config.home(), "secrets.key"));
    }

    /** Encrypts under a given key of 32 bytes. */
    public Envelopes(SecretValue key) {
        this.key = new SecretKeySpec(key.reveal(), "AES");
    }

    /** Encrypts a value for a place. */
    public byte[] seal(Place place, SecretValue value) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] header = ByteBuffer.allocate(HEADER_BYTES)
                .put(FORMAT)
                .putInt(KEY_VERSION)
                .array();
        try {
            byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, nonce, header, place).doFinal(value.reveal());
            return ByteBuffer.allocate(header.length + nonce.length + encrypted.length)
                    .put(header)
                    .put(nonce)
                    .put(encrypted)
                    .array();
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("cannot encrypt the value of " + place, failure);
        }
    }

    /** The value in an envelope; one that was changed, moved or sealed under another key is refused. */
    public SecretValue open(Place place, byte[] envelope) {
        ByteBuffer input = ByteBuffer.wrap(envelope);
        if (envelope.length < HEADER_BYTES + NONCE_BYTES + TAG_BITS / Byte.SIZE
                || input.get() != FORMAT
                || input.getInt() != KEY_VERSION) {
            throw damaged(place, null);
        }
        byte[] header = new byte[HEADER_BYTES];
        byte[] nonce = new byte[NONCE_BYTES];
        input.rewind().get(header).get(nonce);
        try {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, nonce, header, place);
            return SecretValue.of(cipher.doFinal(envelope, input.position(), input.remaining()));
        } catch (GeneralSecurityException failure) {
            throw damaged(place, failure);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] header, Place place) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(header);
        for (String part : List.of(place.kind(), place.environment(), place.name())) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            cipher.updateAAD(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            cipher.updateAAD(bytes);
        }
        return cipher;
    }

    private static PlatformException damaged(Place place, @Nullable Throwable cause) {
        return new PlatformException(
                ErrorCode.INTERNAL,
                "the value of %s does not open: it was changed, or keys/secrets.key is not the key it was sealed under"
                        .formatted(place),
                cause);
    }

    /** Where a value belongs: its kind, its environment and its name there. */
    public record Place(String kind, String environment, String name) {}
}
