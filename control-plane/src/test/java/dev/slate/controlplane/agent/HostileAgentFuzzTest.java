package dev.slate.controlplane.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every operation against answers that are nearly right, and against ones that do not end. */
@Timeout(60)
class HostileAgentFuzzTest {
    private static final int ROUNDS = 1500;
    private static final ExecRequest REQUEST = ExecRequest.of("id", List.of("true"));
    private static final List<Asked> OPERATIONS = List.of(
            new Asked(HostileAgentFuzzTest::followed, HostileAgentFuzzTest::events),
            new Asked(client -> client.list(), _ -> execs()),
            new Asked(client -> client.health(), _ -> health()),
            new Asked(client -> client.files().stat("/x"), _ -> stat()),
            new Asked(client -> client.files().list("/x", _ -> {}), _ -> join(entries(), end())),
            new Asked(
                    client -> client.files().get("/x", 0, 1000, OutputStream.nullOutputStream()),
                    random -> join(stat(), join(data(random), end()))),
            new Asked(
                    client -> client.files().getTree("/x", List.of(), OutputStream.nullOutputStream()),
                    random -> join(stat(), join(data(random), end()))),
            new Asked(client -> client.files().put("/x", new ByteArrayInputStream(new byte[3000])), _ -> ok()),
            new Asked(client -> client.terminate("id", Duration.ZERO), _ -> join(heartbeat(), ok())),
            new Asked(client -> client.writeStdin("id", new byte[10]), _ -> join(heartbeat(), ok())),
            new Asked(HostileAgentFuzzTest::watched, _ -> join(ok(), join(changes(), end()))),
            new Asked(HostileAgentFuzzTest::dialed, random -> join(ok(), data(random))));

    /** An operation and a right answer to it. */
    private record Asked(Operation operation, Answer answer) {}

    private interface Operation {
        void on(AgentClient client) throws IOException;
    }

    private interface Answer {
        byte[] with(Random random);
    }

    @Test
    void damagedAnswersGiveKnownFailuresOnly() throws IOException {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            Asked asked = OPERATIONS.get(seed % OPERATIONS.size());
            byte[] answer = damaged(asked.answer().with(random), random);
            try (HostileAgent agent = new HostileAgent(answer);
                    AgentClient client = agent.client()) {
                asked.operation().on(client);
            } catch (PlatformException known) {
                assertThat(known.code()).as("seed %d", seed).isNotEqualTo(ErrorCode.INTERNAL);
            } catch (RuntimeException | IOException unknown) {
                throw new AssertionError("seed " + seed, unknown);
            }
        }
    }

    @Test
    void rightAnswersAreTaken() throws IOException {
        for (Asked asked : OPERATIONS) {
            try (HostileAgent agent = new HostileAgent(asked.answer().with(new Random(1)));
                    AgentClient client = agent.client()) {
                asked.operation().on(client);
            }
        }
    }

    @Test
    void outputWithoutEndIsPassedOnAndNotKept() throws IOException {
        byte[] piece = new byte[Frame.MAX_BODY - 100];
        AtomicLong sequence = new AtomicLong(1);
        HostileAgent.Answer endless = client -> {
            while (true) {
                client.write(new FrameBuilder(FrameType.STDOUT)
                        .u64(sequence.getAndIncrement())
                        .raw(piece)
                        .build());
            }
        };
        long bytes = 0;
        try (HostileAgent agent = new HostileAgent(endless);
                AgentClient client = agent.client();
                ExecStream stream = client.start(REQUEST)) {
            long before = used();
            while (bytes < 1L << 30) {
                bytes += ((ExecEvent.Stdout) stream.next().orElseThrow()).data().length;
            }
            assertThat(used() - before).isLessThan(64L << 20);
        }
    }

    @Test
    void heartbeatsWithoutEndDoNotHoldUpWhatIsAnsweredAtOnce() throws IOException {
        HostileAgent.Answer endless = client -> {
            while (true) {
                client.write(heartbeat());
            }
        };
        for (int number = 1; number < 7; number++) {
            try (HostileAgent agent = new HostileAgent(endless);
                    AgentClient client = agent.client()) {
                OPERATIONS.get(number).operation().on(client);
                assertThat(number).as("an answer was taken").isNegative();
            } catch (PlatformException refused) {
                assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            }
        }
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static byte[] damaged(byte[] answer, Random random) {
        byte[] bytes = answer.clone();
        for (int times = 1 + random.nextInt(3); times > 0 && bytes.length > 0; times--) {
            switch (random.nextInt(5)) {
                case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[random.nextInt(Math.min(bytes.length, 16))] = (byte) random.nextInt();
                case 2 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
                case 3 -> bytes = join(bytes, bytes);
                default -> {
                    byte[] noise = new byte[random.nextInt(50)];
                    random.nextBytes(noise);
                    bytes = join(bytes, noise);
                }
            }
        }
        return bytes;
    }

    private static void followed(AgentClient client) {
        try (ExecStream stream = client.start(REQUEST)) {
            int terminals = 0;
            for (var event = stream.next(); event.isPresent(); event = stream.next()) {
                terminals += event.get() instanceof Terminal ? 1 : 0;
            }
            assertThat(terminals).isEqualTo(1);
        }
    }

    private static void watched(AgentClient client) {
        try (FileWatch watch = client.files().watch("/x", true)) {
            while (watch.next().isPresent()) {}
        }
    }

    private static void dialed(AgentClient client) {
        try (PortStream stream = client.dial(80)) {
            byte[] buffer = new byte[100];
            while (stream.read(buffer) >= 0) {}
        } catch (IOException ended) {
            // An end like that of any connection.
        }
    }

    private static byte[] events(Random random) {
        return join(
                new FrameBuilder(FrameType.STARTED).u64(1).u32(7).build(),
                join(
                        new FrameBuilder(FrameType.STDOUT)
                                .u64(2)
                                .raw(new byte[random.nextInt(300)])
                                .build(),
                        join(
                                new FrameBuilder(FrameType.DROPPED)
                                        .u64(9)
                                        .u64(3)
                                        .u64(100)
                                        .build(),
                                new FrameBuilder(FrameType.EXITED).u64(10).u8(3).build())));
    }

    private static byte[] execs() {
        FrameBuilder frame = new FrameBuilder(FrameType.EXECS).u32(2);
        for (String id : List.of("one", "two")) {
            frame.text(id).u32(7).flag(true).u64(9).u64(1000).text("true");
        }
        return frame.build();
    }

    private static byte[] health() {
        return new FrameBuilder(FrameType.HEALTH_REPLY)
                .text("0.1")
                .u64(5)
                .u32(1)
                .u32(2)
                .u32(1)
                .build();
    }

    private static byte[] stat() {
        return entry(new FrameBuilder(FrameType.STAT), "/x").build();
    }

    private static byte[] entries() {
        return entry(entry(new FrameBuilder(FrameType.ENTRIES).u32(2), "a"), "b")
                .build();
    }

    private static FrameBuilder entry(FrameBuilder frame, String name) {
        return frame.u8(1).u32(0644).u64(10).u64(0).u32(0).u32(0).u32(0).text(name);
    }

    private static byte[] changes() {
        return join(
                new FrameBuilder(FrameType.CHANGE).u8(1).text("/x/a").text("").build(),
                new FrameBuilder(FrameType.CHANGE)
                        .u8(4)
                        .text("/x/b")
                        .text("/x/a")
                        .build());
    }

    private static byte[] data(Random random) {
        return new FrameBuilder(FrameType.DATA_REPLY)
                .raw(new byte[random.nextInt(500)])
                .build();
    }

    private static byte[] end() {
        return new FrameBuilder(FrameType.DATA_END_REPLY).build();
    }

    private static byte[] ok() {
        return new FrameBuilder(FrameType.OK).build();
    }

    private static byte[] heartbeat() {
        return new FrameBuilder(FrameType.HEARTBEAT).build();
    }

    private static byte[] join(byte[] one, byte[] other) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(other);
        return both.toByteArray();
    }
}
