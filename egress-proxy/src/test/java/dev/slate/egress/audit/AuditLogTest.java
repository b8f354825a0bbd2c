package dev.slate.egress.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {

    @TempDir
    Path folder;

    @Test
    void givesBackWhatItKeptInOrderAlsoAfterARestart() {
        try (var log = open(1 << 20)) {
            append(log, 3);
        }
        try (var log = open(1 << 20)) {
            append(log, 2);

            var all = log.list("a", 0, 100);
            assertThat(all).hasSize(5).isSortedAccordingTo(Comparator.comparingLong(ConnectionRecord::sequence));
            assertThat(log.list("a", all.get(1).sequence(), 2)).isEqualTo(all.subList(2, 4));
            assertThat(log.list("b", 0, 100)).isEmpty();
        }
    }

    @Test
    void keepsABoundedNumberOfBytes() throws Exception {
        try (var log = open(2_000)) {
            append(log, 100);

            assertThat(log.list("a", 0, 1000)).hasSizeLessThan(30).isNotEmpty();
            assertThat(Files.size(folder.resolve("a.jsonl"))).isLessThan(4_000);
        }
    }

    @Test
    void leavesOutALineThatACrashCutShort() throws Exception {
        try (var log = open(1 << 20)) {
            append(log, 1);
            assertThat(log.list("a", 0, 10)).hasSize(1);
            Files.writeString(folder.resolve("a.jsonl"), "{\"sequence\":12,\"opene", StandardOpenOption.APPEND);

            assertThat(log.list("a", 0, 10)).hasSize(1);
        }
    }

    @Test
    void refusesIdsThatAreNoFileNames() {
        try (var log = open(1 << 20)) {
            assertThatThrownBy(() -> log.list("../a", 0, 10)).hasMessageContaining("sandbox id");
        }
    }

    @Test
    void escapesAndShortensWhatComesFromOutside() {
        assertThat(Printable.of("a\r\n\u001b[31mé\"")).isEqualTo("a\\u000d\\u000a\\u001b[31m\\u00e9\"");
        assertThat(Printable.of("x".repeat(100_000))).hasSizeLessThan(300);
    }

    private AuditLog open(long maxFileBytes) {
        return new AuditLog(folder, 1000, maxFileBytes, Clock.systemUTC());
    }

    private static void append(AuditLog log, int count) {
        for (var i = 0; i < count; i++) {
            log.append(new ConnectionRecord(
                    log.nextSequence(),
                    Instant.EPOCH,
                    Duration.ofMillis(5),
                    "a",
                    1234,
                    "tls",
                    "splice",
                    "api.example.com",
                    443,
                    "allowed",
                    "",
                    "api.example.com",
                    7,
                    "93.184.215.14",
                    10,
                    20,
                    List.of("KEY"),
                    List.of(),
                    1,
                    "GET",
                    "/",
                    200,
                    ""));
        }
    }
}
