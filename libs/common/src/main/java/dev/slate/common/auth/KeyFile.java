package dev.slate.common.auth;

import dev.slate.common.secret.SecretValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/** A random key of this install in a file that only its owner can read, as one line of hexadecimal digits. */
public final class KeyFile {
    private static final int BYTES = 32;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private KeyFile() {}

    /** The 32 bytes in {@code <home>/keys/<name>}; whoever asks first makes them. Safe when several processes ask. */
    public static SecretValue loadOrCreate(Path home, String name) {
        Path file = home.resolve("keys").resolve(name);
        try {
            if (!Files.exists(file)) {
                create(file);
            }
            return read(file);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read or make the key file " + file, failure);
        }
    }

    private static SecretValue read(Path file) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new IOException("mode %s (expected: %s or less)"
                    .formatted(PosixFilePermissions.toString(permissions), PosixFilePermissions.toString(OWNER_ONLY)));
        }
        String digits = Files.readString(file).strip();
        if (digits.length() != 2 * BYTES) {
            throw new IOException(
                    "%d characters (expected: %d hexadecimal digits)".formatted(digits.length(), 2 * BYTES));
        }
        try {
            return SecretValue.of(HexFormat.of().parseHex(digits));
        } catch (IllegalArgumentException _) {
            // The cause would quote the key.
            throw new IOException("not hexadecimal digits");
        }
    }

    /** A link never replaces a file, so of several makers one wins and all read the winner's key. */
    private static void create(Path file) throws IOException {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        Files.createDirectories(
                file.getParent(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path temporary =
                Files.createTempFile(file.getParent(), ".new", "", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            Files.writeString(temporary, HexFormat.of().formatHex(key) + "\n");
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException _) {
            // Another maker was quicker; its key counts.
        } finally {
            Files.delete(temporary);
        }
    }
}
