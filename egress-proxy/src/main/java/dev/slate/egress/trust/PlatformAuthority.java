package dev.slate.egress.trust;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.util.Base64;

/**
 * The certificate authority of this install. It is made once, its key never leaves its folder, and it can sign nothing
 * but end certificates. Thread-safe.
 */
public final class PlatformAuthority {

    private static final String KEY = "PRIVATE KEY";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private final PrivateKey key;
    private final X509Certificate certificate;
    private final Clock clock;
    private final SecureRandom random;

    private PlatformAuthority(PrivateKey key, X509Certificate certificate, Clock clock, SecureRandom random) {
        this.key = key;
        this.certificate = certificate;
        this.clock = clock;
        this.random = random;
    }

    /** Reads the authority in this folder, or makes it if there is none. */
    public static PlatformAuthority openOrCreate(Path folder, Clock clock, SecureRandom random) {
        var keyFile = folder.resolve("ca.key");
        var certificateFile = folder.resolve("ca.pem");
        try {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            if (!Files.exists(certificateFile)) {
                create(keyFile, certificateFile, clock, random);
            }
            return new PlatformAuthority(readKey(keyFile), readCertificate(certificateFile), clock, random);
        } catch (IOException e) {
            throw new UncheckedIOException("certificate authority in " + folder, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificate authority in " + folder, e);
        }
    }

    /** The public part. */
    public X509Certificate certificate() {
        return certificate;
    }

    /** The public part as PEM text. */
    public String pem() {
        return pem(certificate);
    }

    /** A new P-256 key pair. */
    static KeyPair newKeyPair(SecureRandom random) throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        return generator.generateKeyPair();
    }

    /** A server certificate for exactly one name. */
    X509Certificate sign(String host, KeyPair leaf) throws GeneralSecurityException {
        return CertificateSigner.leaf(host, leaf, certificate, key, clock.instant(), random);
    }

    static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** RFC 7468. */
    private static String pem(String label, byte[] content) {
        return "-----BEGIN " + label + "-----\n" + LINES.encodeToString(content) + "\n-----END " + label + "-----\n";
    }

    private static void create(Path keyFile, Path certificateFile, Clock clock, SecureRandom random)
            throws IOException, GeneralSecurityException {
        var pair = newKeyPair(random);
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.deleteIfExists(keyFile);
        Files.createFile(keyFile, owner);
        Files.writeString(keyFile, pem(KEY, pair.getPrivate().getEncoded()));
        // The certificate comes last: while it is missing, the folder counts as empty.
        var unfinished = certificateFile.resolveSibling("ca.pem.new");
        Files.writeString(unfinished, pem(CertificateSigner.authority(pair, clock.instant(), random)));
        Files.move(unfinished, certificateFile, StandardCopyOption.ATOMIC_MOVE);
    }

    private static X509Certificate readCertificate(Path file) throws IOException, GeneralSecurityException {
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
    }

    private static PrivateKey readKey(Path file) throws IOException, GeneralSecurityException {
        var begin = "-----BEGIN " + KEY + "-----";
        var text = Files.readString(file, StandardCharsets.US_ASCII);
        var start = text.indexOf(begin);
        var end = text.indexOf("-----END " + KEY + "-----");
        if (start < 0 || end < start) {
            throw new IOException(file + ": no " + KEY + " in PEM (RFC 7468)");
        }
        var content = Base64.getMimeDecoder().decode(text.substring(start + begin.length(), end));
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(content));
    }
}
