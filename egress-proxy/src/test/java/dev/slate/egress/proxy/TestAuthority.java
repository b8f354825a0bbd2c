package dev.slate.egress.proxy;

import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Signs the certificates of made-up hosts. */
final class TestAuthority {

    private static final X500Principal NAME = new X500Principal("CN=Test authority");
    private final KeyPair key = newKey();
    private final X509Certificate certificate = sign(NAME, key, "", true, Duration.ofDays(1));

    TestAuthority() throws Exception {}

    X509Certificate certificate() {
        return certificate;
    }

    Path writeTo(Path file) throws Exception {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(certificate);
        }
        return Files.writeString(file, text.toString());
    }

    /** Server settings with a certificate for one name; a negative validity makes it expired. */
    SSLContext server(String host, Duration validity) throws Exception {
        var leaf = newKey();
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        var signed = sign(new X500Principal("CN=" + host), leaf, host, false, validity);
        store.setKeyEntry("leaf", leaf.getPrivate(), new char[0], new Certificate[] {signed, certificate});
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private X509Certificate sign(X500Principal subject, KeyPair leaf, String host, boolean authority, Duration validity)
            throws Exception {
        var now = Instant.now();
        var builder = new JcaX509v3CertificateBuilder(
                NAME,
                new BigInteger(64, new SecureRandom()),
                Date.from(now.minus(Duration.ofDays(2))),
                Date.from(now.plus(validity)),
                subject,
                leaf.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        if (!host.isEmpty()) {
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
        }
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key.getPrivate())));
    }

    private static KeyPair newKey() throws Exception {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }
}
