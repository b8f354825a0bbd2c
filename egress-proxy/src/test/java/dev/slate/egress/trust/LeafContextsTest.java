package dev.slate.egress.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I106: certificates are made once for each host and kept for a bounded number of them. */
class LeafContextsTest {

    private static final int MOST = 8;

    @TempDir
    Path folder;

    private LeafContexts leaves;

    @BeforeEach
    void start() {
        var random = new SecureRandom();
        leaves = new LeafContexts(
                PlatformAuthority.openOrCreate(folder, Clock.systemUTC(), random), Clock.systemUTC(), random, MOST);
    }

    @Test
    void i106_manyAskingAtOnceGetOneCertificate() {
        var contexts = IntStream.range(0, 16)
                .parallel()
                .mapToObj(_ -> leaves.forHost("api.example.com", "h2"))
                .distinct();

        assertThat(contexts).hasSize(1);
        assertThat(leaves.forHost("api.example.com", "http/1.1")).isNotSameAs(leaves.forHost("api.example.com", "h2"));
    }

    @Test
    void i106_theOnesUsedLastStayAndTheOthersGo() {
        var first = leaves.forHost("first.example.com", "h2");
        var second = leaves.forHost("second.example.com", "h2");
        for (var i = 0; i < MOST - 1; i++) {
            var _ = leaves.forHost(i + ".example.com", "h2");
            assertThat(leaves.forHost("first.example.com", "h2")).isSameAs(first);
        }

        assertThat(leaves.forHost("second.example.com", "h2")).isNotSameAs(second);
    }
}
