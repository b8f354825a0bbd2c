package dev.slate.controlplane.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client makes of an agent that a tenant has taken over. */
@Timeout(60)
class HostileAgentTest {
    private static final ExecRequest REQUEST = ExecRequest.of("id", List.of("true"));

    @Test
    void randomBytesNeverGiveMoreThanOneTerminalEventNorAnUnknownFailure() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            byte[] reply = seed % 2 == 0 ? randomBytes(random) : randomFrames(random);
            try (HostileAgent agent = new HostileAgent(reply);
                    AgentClient client = agent.client()) {
                int terminals = 0;
                try (ExecStream stream = client.start(REQUEST)) {
                    for (var event = stream.next(); event.isPresent(); event = stream.next()) {
                        terminals += event.get() instanceof Terminal ? 1 : 0;
                    }
                    assertThat(terminals).as("seed %d", seed).isEqualTo(1);
                } catch (PlatformException refused) {
                    assertThat(refused.code()).as("seed %d", seed).isNotEqualTo(ErrorCode.INTERNAL);
                }
            }
        }
    }

    @Test
    void everyOperationSurvivesRandomFrames() throws IOException {
        for (int seed = 0; seed < 100; seed++) {
            byte[] reply = randomFrames(new Random(seed));
            try (HostileAgent agent = new HostileAgent(reply);
                    AgentClient client = agent.client()) {
                survives(client::health);
                survives(client::list);
                survives(() -> client.closeStdin("id"));
                survives(() -> client.files().stat("/x"));
                survives(() -> client.files().list("/x", entry -> {}));
                survives(() -> client.files().get("/x", 0, 100, OutputStream.nullOutputStream()));
            }
        }
    }

    @Test
    void frameOfFourGigabytesIsRefusedBeforeItIsRead() throws IOException {
        assertThat(endOf(new byte[] {-1, -1, -1, -1, 1, (byte) FrameType.STDOUT}))
                .isInstanceOfSatisfying(
                        Lost.class, lost -> assertThat(lost.reason()).contains("frame length"));
    }

    @Test
    void forgedSequenceNumbersEndTheStream() throws IOException {
        byte[] repeated = new FrameBuilder(FrameType.EXITED).u64(7).u8(0).build();
        byte[] backwards =
                new FrameBuilder(FrameType.DROPPED).u64(0).u64(1).u64(5).build();

        assertThat(endOf(repeated)).isInstanceOf(Lost.class);
        assertThat(endOf(backwards)).isInstanceOf(Lost.class);
    }

    @Test
    void nothingCountsAfterTheTerminalEvent() throws IOException {
        byte[] exited = new FrameBuilder(FrameType.EXITED).u64(1).u8(0).build();
        byte[] again = new FrameBuilder(FrameType.EXITED).u64(2).u8(1).build();

        try (HostileAgent agent = new HostileAgent(join(exited, again));
                AgentClient client = agent.client();
                ExecStream stream = client.start(REQUEST)) {
            assertThat(stream.next()).isPresent();
            assertThat(stream.next()).isEmpty();
        }
    }

    @Test
    void moreFileDataThanAskedForIsRefused() throws IOException {
        byte[] stat = new FrameBuilder(FrameType.STAT)
                .u8(1)
                .u32(0644)
                .u64(10)
                .u64(0)
                .u32(0)
                .u32(0)
                .u32(0)
                .text("/x")
                .build();
        byte[] data = new FrameBuilder(FrameType.DATA_REPLY).raw(new byte[11]).build();

        try (HostileAgent agent = new HostileAgent(join(stat, data));
                AgentClient client = agent.client()) {
            assertThatThrownBy(() -> client.files().get("/x", 0, 10, OutputStream.nullOutputStream()))
                    .isInstanceOf(PlatformException.class)
                    .hasMessageContaining("more data");
        }
    }

    @Test
    void messageOfTheAgentIsShortenedAndPrintable() throws IOException {
        byte[] error = new FrameBuilder(FrameType.ERROR)
                .raw(new byte[] {0, 4})
                .u32(0)
                .text("\u001b[31m\n" + "x".repeat(100_000))
                .build();

        try (HostileAgent agent = new HostileAgent(error);
                AgentClient client = agent.client()) {
            assertThatThrownBy(client::health).isInstanceOfSatisfying(PlatformException.class, it -> {
                assertThat(it.code()).isEqualTo(ErrorCode.NOT_FOUND);
                assertThat(it.getMessage()).hasSizeLessThan(1100).doesNotContain("\u001b", "\n");
            });
        }
    }

    @Test
    void brokenStreamIsAttachedAgainBeforeItIsLost() throws IOException {
        byte[] started = new FrameBuilder(FrameType.STARTED).u64(1).u32(5).build();

        try (HostileAgent agent = new HostileAgent(started);
                AgentClient client = agent.client();
                ExecStream stream = client.start(REQUEST)) {
            assertThat(stream.next()).isPresent();
            // The second connection sends event 1 once more, although event 2 was asked for.
            assertThat(stream.next()).get().isInstanceOf(Lost.class);
            assertThat(agent.connections()).isEqualTo(2);
        }
    }

    @Test
    void waitingForAnAgentThatIsNotThereEndsInTime() {
        try (AgentClient client = new AgentClient("127.0.0.1", 1, SecretValue.of("t"))) {
            assertThatThrownBy(() -> client.awaitReady(Duration.ofMillis(100)))
                    .isInstanceOfSatisfying(
                            PlatformException.class, it -> assertThat(it.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }

    private static Terminal endOf(byte[] reply) throws IOException {
        try (HostileAgent agent = new HostileAgent(reply);
                AgentClient client = agent.client();
                ExecStream stream = client.start(REQUEST)) {
            return stream.forEach(event -> {});
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    private static void survives(Call call) throws IOException {
        try {
            call.run();
        } catch (PlatformException refused) {
            assertThat(refused.code()).isNotEqualTo(ErrorCode.INTERNAL);
        }
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[random.nextInt(2000)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Well-formed frames of known and unknown types with random payloads; the first event often has the right number. */
    private static byte[] randomFrames(Random random) {
        byte[] all = new byte[0];
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            byte[] payload = new byte[random.nextInt(40)];
            random.nextBytes(payload);
            FrameBuilder frame = new FrameBuilder(0x80 + random.nextInt(0x28));
            if (random.nextBoolean()) {
                frame.u64(i + 1L);
            }
            all = join(all, frame.raw(payload).build());
        }
        return all;
    }

    private static byte[] join(byte[] one, byte[] other) {
        byte[] both = java.util.Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }
}
