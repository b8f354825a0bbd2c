package dev.slate.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.ExecEvent;
import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Output arrives whole, or the log says what is missing; memory stays flat, and readers do not hurt each other. */
@OnPlatform
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutputE2E {
    private static final int MEBIBYTE = 1 << 20;
    private static final int RING = 16 * MEBIBYTE;
    /** Prints numbered blocks of random bytes, and their digest on standard error. */
    private static final String SEEDED = """
            import hashlib, random, sys
            block, digest = random.Random(7).randbytes((1 << 20) - 8), hashlib.sha256()
            for number in range(int(sys.argv[1])):
                piece = number.to_bytes(8, 'big') + block
                digest.update(piece)
                sys.stdout.buffer.write(piece)
            sys.stdout.flush()
            sys.stderr.write(digest.hexdigest())
            """;

    private Sandbox sandbox;

    @BeforeAll
    void start(Slate slate) {
        sandbox = slate.sandbox().image(Platform.PYTHON).memory("2Gi").run();
    }

    @AfterAll
    void end() {
        sandbox.close();
    }

    @Test
    @Tag("long")
    void aGibibyteArrivesExactlyInFlatMemory(Platform platform) throws Exception {
        seeded(64, OutputStream.nullOutputStream());
        long platformBefore = resident(platform.pid());
        long agentBefore = agentResident();
        Digesting sink = new Digesting(platform);

        long begin = System.nanoTime();
        String digest = seeded(1024, sink);
        System.out.printf(
                "output: 1 GiB in %d ms; agent %d -> %d MiB, platform %d -> %d MiB, client heap %d MiB%n",
                (System.nanoTime() - begin) / 1_000_000,
                agentBefore >> 20,
                sink.mostAgent >> 20,
                platformBefore >> 20,
                sink.mostPlatform >> 20,
                sink.mostClient >> 20);

        assertThat(sink.bytes).isEqualTo(1L << 30);
        assertThat(sink.digest()).isEqualTo(digest);
        assertThat(sink.mostAgent - agentBefore).isLessThan(40L << 20);
        assertThat(sink.mostPlatform - platformBefore).isLessThan(300L << 20);
        assertThat(sink.mostClient).isLessThan(128L << 20);
    }

    @Test
    void theCommandLinePassesEveryByteInFlatMemory(Platform platform) throws Exception {
        Process program =
                platform.start(Map.of(), "sandbox", "exec", sandbox.id(), "--", "python3", "-c", SEEDED, "192");
        CompletableFuture<String> digest = CompletableFuture.supplyAsync(() -> text(program.getErrorStream()));
        MessageDigest received = sha256();
        long most = 0;
        byte[] buffer = new byte[MEBIBYTE];
        for (int count; (count = program.getInputStream().read(buffer)) >= 0; ) {
            received.update(buffer, 0, count);
            most = Math.max(most, resident(program.pid()));
        }

        assertThat(program.waitFor()).isZero();
        assertThat(digest.get()).endsWith(HexFormat.of().formatHex(received.digest()));
        assertThat(most).isLessThan(300L << 20);
    }

    @Test
    void charactersThatAreSplitSurvive() {
        String text = "grün €uro 😀 \u0000 end\n".repeat(3);
        var result = sandbox.exec("python3", "-c", """
                import sys, time
                for byte in sys.argv[1].replace('\\u2400', chr(0)).encode():
                    sys.stdout.buffer.write(bytes([byte])); sys.stdout.flush()
                    time.sleep(0.002)
                """, text.replace('\u0000', '\u2400'));

        assertThat(result.orThrow().stdout()).isEqualTo(text);
    }

    @Test
    void manyReadersThatStopDoNotHoldUpTheirClient() throws Exception {
        long total = 128L * MEBIBYTE;
        List<RunningCommand> stopped = new ArrayList<>();
        try (RunningCommand command = sandbox.command("sh", "-c", "sleep 2; exec head -c %d /dev/zero".formatted(total))
                        .start();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                RunningCommand reader = sandbox.attach(command.execId(), 0);
                stopped.add(reader);
                assertThat(reader.events().iterator().next()).isInstanceOf(ExecEvent.Started.class);
            }
            List<Callable<Long>> quick =
                    Collections.nCopies(3, () -> bytesOf(sandbox.attach(command.execId(), 0), true));
            for (Future<Long> read : threads.invokeAll(quick, 60, TimeUnit.SECONDS)) {
                assertThat(read.get()).isEqualTo(total);
            }
            assertThat(sandbox.exec("seq", "100000").stdoutBytes()).hasSize(588895);
            for (RunningCommand reader : stopped) {
                assertThat(bytesOf(reader, true)).isEqualTo(total);
            }
        } finally {
            stopped.forEach(RunningCommand::close);
        }
    }

    /** All share one client. The command writes at a pace that a reader can keep up with. */
    @Test
    void aReaderThatStopsHoldsUpNoOtherAndLearnsWhatItMissed() throws Exception {
        long total = 64L * MEBIBYTE;
        String script = "for i in $(seq 64); do dd if=/dev/zero bs=1M count=1 status=none; sleep 0.05; done";
        try (RunningCommand slow = sandbox.command("sh", "-c", script).start();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(slow.events().iterator().next()).isInstanceOf(ExecEvent.Started.class);
            List<Callable<Long>> quick = Collections.nCopies(3, () -> bytesOf(sandbox.attach(slow.execId(), 0), false));
            for (Future<Long> read : threads.invokeAll(quick, 60, TimeUnit.SECONDS)) {
                assertThat(read.get()).isEqualTo(total);
            }
            assertThat(sandbox.exec("seq", "100000").stdoutBytes()).hasSize(588895);
            assertThat(bytesOf(slow, true)).isEqualTo(total);
        }
    }

    @Test
    void outputThatNobodyReadsIsDroppedWithAMark() {
        RunningCommand running = sandbox.command("python3", "-c", SEEDED, "48").start();
        running.close();
        sandbox.exec("sh", "-c", "while cat /proc/[0-9]*/cmdline | grep -aq '^block, digest'; do sleep 0.1; done")
                .orThrow();

        List<ExecEvent> events = new ArrayList<>();
        try (RunningCommand again = sandbox.attach(running.execId(), 0)) {
            again.events().forEach(events::add);
        }

        assertThat(events).filteredOn(ExecEvent.Dropped.class::isInstance).hasSize(1);
        assertThat(events).last().isInstanceOf(ExecEvent.Ended.class);
        assertThat(total(events, true)).isEqualTo(48L * MEBIBYTE + 64);
        assertThat(total(events, false)).isBetween(RING / 2L, (long) RING);
    }

    private String seeded(int mebibytes, OutputStream sink) {
        ByteArrayOutputStream digest = new ByteArrayOutputStream();
        try (RunningCommand running = sandbox.command("python3", "-c", SEEDED, Integer.toString(mebibytes))
                .start()) {
            assertThat(running.copyTo(sink, digest).orThrow().droppedBytes()).isZero();
        }
        return digest.toString(StandardCharsets.UTF_8);
    }

    private static long bytesOf(RunningCommand reading, boolean withDropped) {
        List<ExecEvent> events = new ArrayList<>();
        try (reading) {
            reading.events().forEach(events::add);
        }
        assertThat(events).filteredOn(ExecEvent.Ended.class::isInstance).hasSize(1);
        return total(events, withDropped);
    }

    private static long total(List<ExecEvent> events, boolean withDropped) {
        return events.stream()
                .mapToLong(event -> switch (event) {
                    case ExecEvent.Stdout piece -> piece.bytes().size();
                    case ExecEvent.Stderr piece -> piece.bytes().size();
                    case ExecEvent.Dropped dropped -> withDropped ? dropped.bytes() : 0;
                    case ExecEvent.Started _, ExecEvent.LogGone _, ExecEvent.Ended _ -> 0;
                })
                .sum();
    }

    private long agentResident() {
        return resident(
                sandbox.exec("cat", "/proc/1/status").orThrow().stdout().lines().toList());
    }

    private static long resident(long pid) throws IOException {
        try {
            return resident(Files.readAllLines(Path.of("/proc/" + pid + "/status")));
        } catch (java.nio.file.NoSuchFileException _) {
            return 0;
        }
    }

    private static long resident(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String text(java.io.InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    /** Digests what it is given and looks at everybody's memory now and then. Confined to one thread. */
    private final class Digesting extends OutputStream {
        private static final long LOOK_EVERY = 200L << 20;

        private final Platform platform;
        private final MessageDigest digest = sha256();
        private long bytes;
        private long mostAgent;
        private long mostPlatform;
        private long mostClient;

        Digesting(Platform platform) {
            this.platform = platform;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] buffer, int offset, int length) throws IOException {
            digest.update(buffer, offset, length);
            if (bytes / LOOK_EVERY != (bytes + length) / LOOK_EVERY) {
                mostAgent = Math.max(mostAgent, agentResident());
                mostPlatform = Math.max(mostPlatform, resident(platform.pid()));
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                mostClient = Math.max(mostClient, runtime.totalMemory() - runtime.freeMemory());
            }
            bytes += length;
        }

        String digest() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }
}
