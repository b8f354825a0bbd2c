package dev.slate.egress.trust;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.UUID;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes the certificates of RFC 5280 that a {@link PlatformAuthority} needs. Apart from it, as Bouncy Castle's signed
 * jars take a third of a second to load, which no start of the platform needs.
 */
final class CertificateSigner {

    private static final Duration AUTHORITY_LIFETIME = Duration.ofDays(3650);
    /** Clocks in sandboxes may be a day off. */
    private static final Duration BACKDATED = Duration.ofDays(1);
    /** Counted from the signature, so that the whole span stays within seven days. */
    private static final Duration LEAF_LIFETIME = Duration.ofDays(5);

    private CertificateSigner() {}

    /** A certificate authority that can sign nothing but end certificates. */
    static X509Certificate authority(KeyPair pair, Instant now, SecureRandom random) throws GeneralSecurityException {
        // Each install has its own name: clients that trust two installs must not mix up their authorities.
        var name = new X500Principal(
                "CN=Slate egress " + UUID.randomUUID().toString().substring(0, 8) + ",O=Slate");
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    name,
                    serial(random),
                    Date.from(now.minus(BACKDATED)),
                    Date.from(now.plus(AUTHORITY_LIFETIME)),
                    name,
                    pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
            return signed(builder, pair.getPrivate());
        } catch (IOException | OperatorCreationException e) {
            throw new GeneralSecurityException("certificate of the authority", e);
        }
    }

    /** A server certificate for exactly one name. */
    static X509Certificate leaf(
            String host, KeyPair leaf, X509Certificate authority, PrivateKey key, Instant now, SecureRandom random)
            throws GeneralSecurityException {
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    authority.getSubjectX500Principal(),
                    serial(random),
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
                    extensions.createAuthorityKeyIdentifier(authority.getPublicKey()));
            return signed(builder, key);
        } catch (IOException | OperatorCreationException e) {
            throw new GeneralSecurityException("certificate for " + host, e);
        }
    }

    private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key)
            throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
    }

    private static BigInteger serial(SecureRandom random) {
        return new BigInteger(128, random).setBit(127);
    }
}
