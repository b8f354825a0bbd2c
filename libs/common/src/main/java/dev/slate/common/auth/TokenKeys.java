package dev.slate.common.auth;

import dev.slate.common.config.HomeConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;

/** The ECDSA P-256 key pair that signs this install's tokens, kept under {@code <home>/keys}. Thread-safe. */
@Singleton
public class TokenKeys {
    private final KeyPair pair;

    @Inject
    TokenKeys(HomeConfig config) {
        this(config.home());
    }

    /** Loads the pair, or makes it on first use. */
    public TokenKeys(Path home) {
        try {
            this.pair = loadOrCreate(home.resolve("keys"));
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read or make the token keys below " + home, failure);
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("the token keys below " + home + " are damaged", failure);
        }
    }

    /** Signs tokens. */
    public PrivateKey signingKey() {
        return pair.getPrivate();
    }

    /** Checks tokens. */
    public PublicKey verificationKey() {
        return pair.getPublic();
    }

    private static KeyPair loadOrCreate(Path folder) throws IOException, GeneralSecurityException {
        Path privateFile = folder.resolve("token.private.der");
        Path publicFile = folder.resolve("token.public.der");
        if (!Files.exists(privateFile)) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            write(publicFile, pair.getPublic().getEncoded());
            write(privateFile, pair.getPrivate().getEncoded());
            return pair;
        }
        KeyFactory factory = KeyFactory.getInstance("EC");
        return new KeyPair(
                factory.generatePublic(new X509EncodedKeySpec(Files.readAllBytes(publicFile))),
                factory.generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(privateFile))));
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        Path temporary = Files.createTempFile(
                file.getParent(),
                ".new",
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(temporary, bytes);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
