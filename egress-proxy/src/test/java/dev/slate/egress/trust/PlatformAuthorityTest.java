package dev.slate.egress.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformAuthorityTest {

    private static final int SERVER_NAME = 2;

    @TempDir
    Path folder;

    @Test
    void isMadeOnceAndKeepsItsKeyToItself() throws Exception {
        var first = open();
        var again = open();

        assertThat(again.certificate()).isEqualTo(first.certificate());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("ca.key"))))
                .isEqualTo("rw-------");
        assertThat(first.certificate().getBasicConstraints())
                .as("may sign no other authority")
                .isZero();
        assertThat(first.certificate().getKeyUsage())
                .containsExactly(false, false, false, false, false, true, true, false, false);
    }

    @Test
    void signsCertificatesThatStrictClientsAccept() throws Exception {
        var authority = open();
        var key = PlatformAuthority.newKeyPair(new SecureRandom());

        var leaf = authority.sign("api.example.com", key);

        leaf.verify(authority.certificate().getPublicKey());
        assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(SERVER_NAME, "api.example.com"));
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(leaf.getExtensionValue("2.5.29.35")).as("authority key id").isNotNull();
        assertThat(leaf.getExtensionValue("2.5.29.14")).as("subject key id").isNotNull();
        assertThat(leaf.getSerialNumber().bitLength()).isEqualTo(128);
        var validity = Duration.between(
                leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant());
        assertThat(validity).isLessThanOrEqualTo(Duration.ofDays(7));
        assertThat(leaf.getSerialNumber())
                .isNotEqualTo(authority.sign("api.example.com", key).getSerialNumber());
    }

    @Test
    void theBundleHoldsAllRootsAndTheAuthority() throws Exception {
        var authority = open();
        var trust = TrustBundle.write(folder.resolve("trust"), authority, UpstreamTrust.load(Optional.empty()));

        var bundle = Files.readString(trust.bundleFile());

        assertThat(bundle).endsWith(authority.pem());
        assertThat(bundle.split("BEGIN CERTIFICATE", -1).length).isGreaterThan(50);
        assertThat(Files.readString(trust.authorityFile())).isEqualTo(authority.pem());
        assertThat(trust.environment())
                .containsEntry("SSL_CERT_FILE", "bundle")
                .containsEntry("NODE_EXTRA_CA_CERTS", "ca")
                .doesNotContainKey("SSL_CERT_DIR");
    }

    private PlatformAuthority open() {
        return PlatformAuthority.openOrCreate(folder, Clock.systemUTC(), new SecureRandom());
    }
}
