package dev.slate.controlplane.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real agent under hostile frames: random ones, and requests that were damaged. It runs in a sandbox that holds
 * nothing but itself, so that a damaged path or command can hurt nobody.
 */
@Timeout(120)
class AgentFuzzIT {
    private static final int ROUNDS = 240;
    private static final List<String> PATHS = List.of("/fuzz", "/fuzz/a", "/fuzz/b/c", "/proc", "/proc/1/status", "/");
    private static final List<String> EXECS = List.of("one", "two", "three", "bad id", "");

    @TempDir
    private Path folder;

    @Test
    void hostileFramesNeitherEndNorBlockNorFillTheAgent() throws Exception {
        try (AgentProcess agent = AgentProcess.startAloneInGvisor(folder);
                AgentClient client = agent.client()) {
            client.awaitReady(Duration.ofSeconds(20));
            client.files().makeFolder("/fuzz", 0755, true);
            long descriptors = 0;
            long resident = 0;
            for (int seed = 0; seed < ROUNDS; seed++) {
                attack(agent.port(), seed);
                if (seed % 40 == 0) {
                    assertThat(client.health().pid()).as("seed %d", seed).isEqualTo(1);
                }
                if (seed == ROUNDS / 2) {
                    descriptors = descriptors(client);
                    resident = resident(client);
                }
            }

            String id = UUID.randomUUID().toString();
            assertThat(ExecResult.of(client.start(ExecRequest.of(id, List.of("/slate-agent"))))
                            .stderr())
                    .contains("usage");
            long allowed = descriptors + 8;
            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(descriptors(client)).isLessThanOrEqualTo(allowed));
            assertThat(resident(client)).isLessThan(resident + (32L << 20)).isLessThan(192L << 20);
        }
    }

    /** One connection with up to a dozen frames, some right, some damaged; it must come to an end when we end it. */
    private static void attack(int port, int seed) throws IOException {
        Random random = new Random(seed);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10);
            try {
                if (random.nextInt(20) > 0) {
                    socket.getOutputStream()
                            .write(new FrameBuilder(FrameType.HELLO)
                                    .raw(AgentProcess.TOKEN.getBytes(StandardCharsets.US_ASCII))
                                    .build());
                }
                for (int frames = 1 + random.nextInt(12); frames > 0; frames--) {
                    byte[] frame = random.nextInt(4) == 0 ? noise(random) : request(random);
                    socket.getOutputStream().write(random.nextBoolean() ? damaged(frame, random) : frame);
                    skipWhatIsThere(socket.getInputStream(), seed);
                }
            } catch (SocketException closed) {
                // The agent may end the connection at any time.
            }
        }
    }

    private static void skipWhatIsThere(InputStream replies, int seed) throws IOException {
        byte[] buffer = new byte[65536];
        long total = 0;
        try {
            for (int count; (count = replies.read(buffer)) >= 0; ) {
                total += count;
                assertThat(total).as("bytes of one reply, seed %d", seed).isLessThan(64L << 20);
            }
        } catch (SocketTimeoutException quiet) {
            // Waits for more, or has nothing to say.
        }
    }

    private static byte[] noise(Random random) {
        byte[] payload = new byte[random.nextInt(200)];
        random.nextBytes(payload);
        return new FrameBuilder(random.nextInt(256)).raw(payload).build();
    }

    private static byte[] damaged(byte[] frame, Random random) {
        byte[] bytes = frame.clone();
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            case 1 -> bytes[random.nextInt(4)] = (byte) random.nextInt();
            case 2 -> bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            default -> bytes = java.util.Arrays.copyOf(bytes, bytes.length + random.nextInt(64));
        }
        return bytes;
    }

    private static byte[] request(Random random) throws IOException {
        String exec = any(EXECS, random);
        String path = any(PATHS, random);
        return switch (random.nextInt(20)) {
            case 0 -> new FrameBuilder(FrameType.HEALTH).build();
            case 1, 2 -> start(random);
            case 3 ->
                new FrameBuilder(FrameType.ATTACH)
                        .text(exec)
                        .u64(random.nextInt(4))
                        .build();
            case 4 ->
                new FrameBuilder(FrameType.STDIN_WRITE)
                        .text(exec)
                        .raw(new byte[random.nextInt(100_000)])
                        .build();
            case 5 -> new FrameBuilder(FrameType.STDIN_CLOSE).text(exec).build();
            case 6 ->
                new FrameBuilder(FrameType.SIGNAL)
                        .text(exec)
                        .u32(random.nextInt(70))
                        .u8(random.nextInt(3))
                        .build();
            case 7 -> new FrameBuilder(FrameType.LIST).build();
            case 8 -> new FrameBuilder(FrameType.REMOVE).text(exec).build();
            case 9 ->
                new FrameBuilder(FrameType.RESIZE)
                        .text(exec)
                        .u16(random.nextInt(300))
                        .u16(random.nextInt(300))
                        .build();
            case 10 ->
                new FrameBuilder(FrameType.TERMINATE)
                        .text(exec)
                        .u32(random.nextInt(300))
                        .build();
            case 11, 12 ->
                joined(
                        new FrameBuilder(FrameType.FILE_PUT)
                                .path(path)
                                .u32(random.nextInt())
                                .flag(random.nextBoolean())
                                .build(),
                        random);
            case 13 ->
                new FrameBuilder(FrameType.FILE_GET)
                        .path(path)
                        .u64(random.nextLong())
                        .u64(random.nextLong())
                        .build();
            case 14 -> new FrameBuilder(FrameType.FILE_LIST).path(path).build();
            case 15 ->
                new FrameBuilder(FrameType.FILE_RENAME)
                        .path(path)
                        .path(any(PATHS, random))
                        .flag(random.nextBoolean())
                        .build();
            case 16 -> new FrameBuilder(FrameType.TAR_GET).path("/fuzz").u32(0).build();
            case 17 -> joined(new FrameBuilder(FrameType.TAR_PUT).path("/fuzz").build(), random);
            case 18 ->
                new FrameBuilder(FrameType.WATCH)
                        .path(path)
                        .flag(random.nextBoolean())
                        .build();
            default ->
                new FrameBuilder(FrameType.DIAL).u16(random.nextInt(65536)).build();
        };
    }

    private static byte[] start(Random random) {
        FrameBuilder frame = new FrameBuilder(FrameType.START)
                .text(any(EXECS, random))
                .u8(random.nextInt(5))
                .u64(random.nextInt(2000))
                .text(random.nextBoolean() ? "" : "/fuzz")
                .text(random.nextBoolean() ? "" : Integer.toString(random.nextInt()));
        frame.u32(1).text("/slate-agent");
        return frame.u32(random.nextInt(2)).text("NAME").text("value").build();
    }

    /** With content after it, as a put wants: random bytes, and mostly the end. */
    private static byte[] joined(byte[] request, Random random) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(request);
        for (int pieces = random.nextInt(4); pieces > 0; pieces--) {
            byte[] content = new byte[random.nextInt(2000)];
            random.nextBytes(content);
            all.write(new FrameBuilder(FrameType.DATA).raw(content).build());
        }
        if (random.nextInt(4) > 0) {
            all.write(new FrameBuilder(FrameType.DATA_END).build());
        }
        return all.toByteArray();
    }

    private static String any(List<String> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    private static long descriptors(AgentClient client) {
        List<FileEntry> entries = new ArrayList<>();
        client.files().list("/proc/1/fd", entries::add);
        return entries.size();
    }

    private static long resident(AgentClient client) throws IOException {
        ByteArrayOutputStream status = new ByteArrayOutputStream();
        client.files().get("/proc/1/status", 0, AgentFiles.ALL, status);
        return status.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }
}
