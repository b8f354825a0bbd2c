package dev.slate.egress.trust;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.UUID;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The certificate authority of this install. It is made once, its key never leaves its folder, and it can sign nothing
 * but end certificates. Thread-safe.
 */
public final class PlatformAuthority {

    private static final Duration LIFETIME = Duration.ofDays(3650);
    /** Clocks in sandboxes may be a day off. */
    private static final Duration BACKDATED = Duration.ofDays(1);
    /** Counted from the signature, so that the whole span stays within seven days. */
    private static final Duration LEAF_LIFETIME = Duration.ofDays(5);

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
            var holder = (X509CertificateHolder) readPem(certificateFile);
            var key = new JcaPEMKeyConverter().getPrivateKey((PrivateKeyInfo) readPem(keyFile));
            var certificate = new JcaX509CertificateConverter().getCertificate(holder);
            return new PlatformAuthority(key, certificate, clock, random);
        } catch (IOException e) {
            throw new UncheckedIOException("certificate authority in " + folder, e);
        } catch (GeneralSecurityException | OperatorCreationException e) {
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
        try {
            var now = clock.instant();
            var builder = new JcaX509v3CertificateBuilder(
                    certificate.getSubjectX500Principal(),
                    new BigInteger(128, random).setBit(127),
                    Date.from(now.minus(BACKDATED)),
                    Date.from(now.plus(LEAF_LIFETIME)),
                    new X500Principal(host.length() <= 64 ? "CN=" + host : "CN=Slate sandbox egress"),
                    leaf.getPublic());
            var extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(leaf.getPublic()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(certificate.getPublicKey()));
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
        } catch (IOException | OperatorCreationException e) {
            throw new GeneralSecurityException("certificate for " + host, e);
        }
    }

    static String pem(Object object) {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void create(Path keyFile, Path certificateFile, Clock clock, SecureRandom random)
            throws IOException, GeneralSecurityException, OperatorCreationException {
        var pair = newKeyPair(random);
        var now = clock.instant();
        // Each install has its own name: clients that trust two installs must not mix up their authorities.
        var name = new X500Principal(
                "CN=Slate egress " + UUID.randomUUID().toString().substring(0, 8) + ",O=Slate");
        var builder = new JcaX509v3CertificateBuilder(
                name,
                new BigInteger(128, random).setBit(127),
                Date.from(now.minus(BACKDATED)),
                Date.from(now.plus(LIFETIME)),
                name,
                pair.getPublic());
        var extensions = new JcaX509ExtensionUtils();
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        builder.addExtension(
                Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(pair.getPublic()));
        var certificate = new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.deleteIfExists(keyFile);
        Files.createFile(keyFile, owner);
        Files.writeString(keyFile, pem(new JcaPKCS8Generator(pair.getPrivate(), null)));
        // The certificate comes last: while it is missing, the folder counts as empty.
        var unfinished = certificateFile.resolveSibling("ca.pem.new");
        Files.writeString(unfinished, pem(certificate));
        Files.move(unfinished, certificateFile, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Object readPem(Path file) throws IOException {
        try (var parser = new PEMParser(new StringReader(Files.readString(file)))) {
            var object = parser.readObject();
            if (object == null) {
                throw new IOException(file + ": no PEM block");
            }
            return object;
        }
    }
}
