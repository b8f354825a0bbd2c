package dev.slate.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProxyProofTest {
    @TempDir
    Path home;

    @Test
    void bothSidesShareTheProofThatTheFirstOneMade() {
        ProxyProof proxy = new ProxyProof(home);

        ProxyProof platform = new ProxyProof(home);

        assertThat(platform.matches(proxy.value().revealText())).isTrue();
    }

    @Test
    void doesNotMatchAnythingElse() {
        ProxyProof proof = new ProxyProof(home);

        assertThat(proof.matches("")).isFalse();
        assertThat(proof.matches("0".repeat(64))).isFalse();
    }

    @Test
    void theFileIsForItsOwnerOnly() throws Exception {
        ProxyProof proof = new ProxyProof(home);

        Path file = home.resolve("keys/proxy-proof");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file)).hasSize(65).isEqualTo(proof.value().revealText() + "\n");
    }

    @Test
    void refusesAKeyFileThatOthersCanRead() throws Exception {
        KeyFile.loadOrCreate(home, "k");
        Files.setPosixFilePermissions(home.resolve("keys/k"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> KeyFile.loadOrCreate(home, "k"))
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseMessage("mode rw-r--r-- (expected: rw------- or less)");
    }
}
