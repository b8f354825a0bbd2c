package dev.slate.controlplane.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.agent.ExecEvent.Dropped;
import dev.slate.controlplane.agent.ExecEvent.Exited;
import dev.slate.controlplane.agent.ExecEvent.Failed;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import dev.slate.controlplane.agent.ExecEvent.Signaled;
import dev.slate.controlplane.agent.ExecEvent.Started;
import dev.slate.controlplane.agent.ExecEvent.Stdout;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import dev.slate.controlplane.agent.ExecEvent.TimedOut;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against the real agent program, run as an ordinary process. */
@Timeout(60)
class AgentClientIT {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private AgentProcess agent;
    private AgentClient client;

    @BeforeEach
    void startAgent() throws IOException {
        agent = AgentProcess.start(folder);
        client = agent.client();
        client.awaitReady(Duration.ofSeconds(10));
    }

    @AfterEach
    void stopAgent() {
        client.close();
        agent.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 127, 255})
    void reportsTheExitCode(int code) {
        ExecResult result = run(shell("echo out; echo err >&2; exit " + code));

        assertThat(result.text()).isEqualTo("out\n");
        assertThat(result.stderr()).isEqualTo("err\n");
        assertThat(result.end()).isInstanceOf(Exited.class).extracting("code").isEqualTo(code);
        assertThat(result.events().getFirst()).isInstanceOf(Started.class);
        assertThat(result.events().stream().filter(Terminal.class::isInstance)).hasSize(1);
    }

    @Test
    void terminalHasTheGivenSizeAndFollowsItsChanges() {
        ExecRequest request = shell(
                        "stty size; trap 'stty size; exit 3' WINCH; echo ready; while :; do sleep 0.05; done")
                .withTerminal(new TerminalSize(100, 30))
                .withOpenStdin();
        StringBuilder seen = new StringBuilder();
        try (ExecStream stream = client.start(request)) {
            Terminal end = stream.forEach(event -> {
                if (event instanceof Stdout output) {
                    seen.append(new String(output.data(), UTF_8));
                    if (seen.toString().endsWith("ready\r\n")) {
                        client.resize(request.id(), new TerminalSize(80, 24));
                    }
                }
            });
            assertThat(end).isInstanceOf(Exited.class).extracting("code").isEqualTo(3);
        }
        assertThat(seen).hasToString("30 100\r\nready\r\n24 80\r\n");
        assertThatThrownBy(() -> client.resize(request.id(), new TerminalSize(80, 24)))
                .hasMessageContaining("no terminal");
    }

    @Test
    void inputOfATerminalEndsAndInterrupts() {
        TerminalSize size = new TerminalSize(80, 24);
        assertThat(run(ExecRequest.of(id(), List.of("cat")).withTerminal(size)).end())
                .isInstanceOf(Exited.class);

        ExecRequest cat =
                ExecRequest.of(id(), List.of("cat")).withTerminal(size).withOpenStdin();
        try (ExecStream stream = client.start(cat)) {
            client.writeStdin(cat.id(), "typed\n".getBytes(UTF_8));
            client.closeStdin(cat.id());
            assertThat(ExecResult.of(stream).text()).isEqualTo("typed\r\ntyped\r\n");
        }

        ExecRequest sleep =
                ExecRequest.of(id(), List.of("sleep", "60")).withTerminal(size).withOpenStdin();
        try (ExecStream stream = client.start(sleep)) {
            client.writeStdin(sleep.id(), new byte[] {3});
            assertThat(ExecResult.of(stream).end())
                    .isInstanceOf(Signaled.class)
                    .extracting("signal")
                    .isEqualTo(2);
        }
    }

    @Test
    void timeoutEndsACommandOnATerminal() {
        ExecRequest request = shell("trap '' TERM HUP; setsid sleep 60 & sleep 61")
                .withTerminal(new TerminalSize(80, 24))
                .withTimeout(Duration.ofMillis(300));

        assertThat(run(request).end()).isInstanceOf(TimedOut.class);
    }

    @Test
    void dialsPortsAndEndsEachDirectionOnItsOwn() throws Exception {
        byte[] bytes = new byte[5 * MIB];
        new Random(7).nextBytes(bytes);
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                PortStream stream = client.dial(server.getLocalPort());
                Socket accepted = server.accept()) {
            Thread writer = Thread.ofVirtual().start(() -> write(stream, bytes));
            assertThat(accepted.getInputStream().readAllBytes()).isEqualTo(bytes);
            writer.join();
            accepted.getOutputStream().write("late".getBytes(UTF_8));
            accepted.shutdownOutput();
            byte[] buffer = new byte[16];
            assertThat(stream.read(buffer)).isEqualTo(4);
            assertThat(stream.read(buffer)).isNegative();
        }
    }

    @Test
    void refusesToDialWhereNothingListens() throws IOException {
        int free;
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            free = server.getLocalPort();
        }
        assertThatThrownBy(() -> client.dial(free))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageContaining("port " + free + ": connection refused");
    }

    @Test
    void theServerNoticesAClientThatBreaksTheConnection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                PortStream stream = client.dial(server.getLocalPort());
                Socket accepted = server.accept()) {
            stream.endOutput();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            stream.abort();
            await().untilAsserted(() -> assertThatThrownBy(
                            () -> accepted.getOutputStream().write(1))
                    .isInstanceOf(IOException.class));
        }
    }

    @Test
    void tellsDeathBySignalFromAnExitCode() {
        assertThat(run(shell("kill -SEGV $$")).end())
                .isInstanceOf(Signaled.class)
                .extracting("signal")
                .isEqualTo(11);
    }

    @Test
    void reportsCommandsThatCannotStart() {
        assertThat(run(ExecRequest.of(id(), List.of("no-such-command"))).end())
                .isInstanceOfSatisfying(Failed.class, failed -> {
                    assertThat(failed.exitCode()).isEqualTo(127);
                    assertThat(failed.message()).contains("no-such-command");
                });
        assertThat(run(ExecRequest.of(id(), List.of("/etc/passwd"))).end())
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.exitCode()).isEqualTo(126));
        assertThat(run(shell("true").withWorkdir("/no/such/folder")).end()).isInstanceOf(Failed.class);
        assertThat(run(shell("true").withUser("no-such-user")).end()).isInstanceOf(Failed.class);
    }

    @Test
    void givesTheCommandItsUserFolderAndEnvironment() {
        ExecRequest request = shell("id -u; id -g; pwd; echo $GREETING; echo $HOME; cut -d' ' -f6 /proc/self/stat")
                .withUser("nobody")
                .withWorkdir("/tmp")
                .withEnvironment(Map.of("GREETING", "grüß dich"));

        ExecResult result = run(request);

        int pid = ((Started) result.events().getFirst()).pid();
        assertThat(result.text().lines())
                .containsExactly("65534", "65534", "/tmp", "grüß dich", "/nonexistent", String.valueOf(pid));
    }

    @Test
    void closedStdinIsAtItsEnd() {
        assertThat(run(ExecRequest.of(id(), List.of("cat"))).end()).isInstanceOf(Exited.class);
    }

    @Test
    void openStdinIsReadUntilItIsClosed() throws InterruptedException {
        ExecRequest request = ExecRequest.of(id(), List.of("cat")).withOpenStdin();
        try (ExecStream stream = client.start(request)) {
            byte[] input = new byte[3 * MIB];
            Arrays.fill(input, (byte) 'x');

            Thread writer = Thread.startVirtualThread(() -> {
                client.writeStdin(request.id(), input);
                client.closeStdin(request.id());
            });
            ExecResult result = ExecResult.of(stream);

            assertThat(result.stdout()).isEqualTo(input);
            assertThat(result.end()).isInstanceOf(Exited.class);
            writer.join();
        }
        assertThatThrownBy(() -> client.writeStdin(request.id(), new byte[1]))
                .satisfies(is(ErrorCode.FAILED_PRECONDITION));
    }

    @Test
    void returnsWhenTheMainProcessEndsAlthoughAChildHoldsThePipe() {
        long begin = System.nanoTime();
        ExecRequest request = shell("sleep 60 & echo x");

        ExecResult result = run(request);

        assertThat(result.text()).isEqualTo("x\n");
        assertThat(result.end()).isInstanceOf(Exited.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
        assertThat(processesOf(request.id())).hasSize(1);
        client.terminate(request.id(), Duration.ZERO);
        assertThat(processesOf(request.id())).isEmpty();
    }

    @Test
    void timeoutEndsTheWholeTreeEvenIfItResists() {
        ExecRequest request = shell("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 61 & sleep 62' & "
                        + "(setsid sleep 63 &) ; sleep 64; sleep 65")
                .withTimeout(Duration.ofMillis(300));

        ExecResult result = run(request);

        assertThat(result.end()).isInstanceOf(TimedOut.class);
        assertThat(processesOf(request.id())).isEmpty();
    }

    @Test
    void signalReachesTheMainProcessOrTheTree() {
        ExecRequest single = shell("trap 'echo caught; exit 3' TERM; sleep 60 & wait");
        try (ExecStream stream = client.start(single)) {
            await().until(() -> processesOf(single.id()).size() == 2);
            client.signal(single.id(), 15, SignalScope.MAIN_PROCESS);
            assertThat(ExecResult.of(stream).text()).isEqualTo("caught\n");
        }
        assertThat(processesOf(single.id())).hasSize(1);

        client.signal(single.id(), 9, SignalScope.TREE);
        await().until(() -> processesOf(single.id()).isEmpty());
    }

    @Test
    void largeOutputArrivesCompleteAndInOrder() {
        AtomicLong expected = new AtomicLong();
        ExecRequest request = ExecRequest.of(id(), List.of("seq", "1", "8600000"));

        Terminal end;
        try (ExecStream stream = client.start(request)) {
            LineCheck check = new LineCheck();
            end = stream.forEach(event -> {
                assertThat(event).isNotInstanceOf(Dropped.class);
                if (event instanceof Stdout output) {
                    check.accept(output.data());
                    expected.addAndGet(output.data().length);
                }
            });
            assertThat(check.last()).isEqualTo(8_600_000);
        }

        assertThat(end).isInstanceOf(Exited.class);
        assertThat(expected.get()).isGreaterThan(64L * MIB);
        assertThat(agentMemory()).isLessThan(64L * MIB);
    }

    @Test
    void binaryOutputSurvivesByteForByte() throws IOException {
        byte[] content = new byte[256 * 257];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i + i / 256);
        }
        Path file = folder.resolve("binary");
        Files.write(file, content);

        assertThat(run(ExecRequest.of(id(), List.of("cat", file.toString()))).stdout())
                .isEqualTo(content);
    }

    @Test
    void attachesFromAnySequence() {
        ExecRequest request = shell("for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; exit 4");
        ExecResult whole = run(request);

        ExecResult rest = ExecResult.of(client.attach(request.id(), 3));

        List<ExecEvent> tail = whole.events().subList(2, whole.events().size());
        assertThat(rest.events()).hasSameSizeAs(tail);
        assertThat(rest.events().getFirst().sequence()).isEqualTo(3);
        assertThat(rest.end()).isEqualTo(whole.end());
        assertThatThrownBy(() -> client.attach(request.id(), 1000)).satisfies(is(ErrorCode.INVALID_ARGUMENT));
        assertThatThrownBy(() -> client.attach("unknown", 0)).satisfies(is(ErrorCode.NOT_FOUND));
    }

    @Test
    void detachingLeavesTheCommandRunning() {
        ExecRequest request = shell("echo one; sleep 0.5; echo two");
        try (ExecStream stream = client.start(request)) {
            assertThat(stream.next()).get().isInstanceOf(Started.class);
        }

        ExecResult later = ExecResult.of(client.attach(request.id(), 0));

        assertThat(later.text()).isEqualTo("one\ntwo\n");
        assertThat(later.end()).isInstanceOf(Exited.class);
    }

    @Test
    void cutConnectionsLoseAndRepeatNothing() throws IOException {
        ExecRequest request = shell("for i in $(seq 1 40); do echo $i; sleep 0.02; done; exit 9");
        StringBuilder text = new StringBuilder();
        try (Relay relay = new Relay(agent.port());
                AgentClient remote = relay.client();
                ExecStream stream = remote.start(request)) {
            Terminal end = stream.forEach(event -> {
                if (event instanceof Stdout output) {
                    text.append(new String(output.data(), UTF_8));
                    if (event.sequence() % 10 == 0) {
                        cut(relay);
                    }
                }
            });

            assertThat(end).isInstanceOf(Exited.class).extracting("code").isEqualTo(9);
        }
        assertThat(text.toString().lines())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 40).mapToObj(String::valueOf).toList());
    }

    @Test
    void marksWhatTheRingDropped() {
        ExecRequest request = shell("head -c 41943040 /dev/zero; echo; echo end");
        try (ExecStream stream = client.start(request)) {
            assertThat(stream.next()).get().isInstanceOf(Started.class);
        }
        await().atMost(Duration.ofSeconds(20))
                .until(() -> client.list().getFirst().finished());

        ExecResult result = ExecResult.of(client.attach(request.id(), 0));

        assertThat(result.events().getFirst()).isInstanceOfSatisfying(Dropped.class, dropped -> {
            assertThat(dropped.first()).isEqualTo(1);
            assertThat(dropped.bytes() + result.stdout().length).isEqualTo(41_943_040 + 5);
        });
        assertThat(result.stdout().length).isBetween(8 * MIB, 16 * MIB);
        assertThat(result.end()).isInstanceOf(Exited.class);
    }

    @Test
    void readerThatStopsReadingDelaysNobody() {
        ExecRequest request = ExecRequest.of(id(), List.of("head", "-c", "100000000", "/dev/zero"));
        try (ExecStream stalled = client.start(request)) {
            assertThat(stalled.next()).get().isInstanceOf(Started.class);

            ExecResult other = run(shell("echo quick"));
            AtomicLong seen = new AtomicLong();
            Terminal end = client.attach(request.id(), 0, event -> {
                if (event instanceof Stdout output) {
                    seen.addAndGet(output.data().length);
                }
            });

            assertThat(other.text()).isEqualTo("quick\n");
            assertThat(end).isInstanceOf(Exited.class);
            assertThat(seen.get()).isPositive();
            assertThat(ExecResult.of(stalled).end()).isEqualTo(end);
        }
    }

    @Test
    void refusesASecondStartWithTheSameId() {
        ExecRequest request = shell("true");
        run(request);

        assertThatThrownBy(() -> client.start(request)).satisfies(is(ErrorCode.ALREADY_EXISTS));
        client.remove(request.id());
        assertThat(client.list()).isEmpty();
        assertThat(run(request).end()).isInstanceOf(Exited.class);
    }

    @Test
    void agentThatDiesIsReportedAsLost() {
        try (ExecStream stream = client.start(shell("sleep 3"))) {
            agent.crash();

            assertThat(ExecResult.of(stream).end()).isInstanceOf(Lost.class);
            assertThat(stream.next()).isEmpty();
        }
        assertThatThrownBy(client::health).satisfies(is(ErrorCode.UNAVAILABLE));
    }

    @Test
    void closedClientEndsItsStreams() {
        try (ExecStream stream = client.start(shell("sleep 3"))) {
            client.close();

            assertThat(ExecResult.of(stream).end()).isInstanceOf(Lost.class);
        }
    }

    @Test
    void refusesAWrongToken() {
        try (AgentClient stranger =
                new AgentClient("127.0.0.1", agent.port(), SecretValue.of("x".repeat(AgentProcess.TOKEN.length())))) {
            assertThatThrownBy(stranger::health)
                    .satisfies(is(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("wrong token");
        }
    }

    @Test
    void collectsOrphans() {
        run(shell("(sleep 0.1 &) ; (sleep 0.1 &)"));

        await().untilAsserted(() -> assertThat(
                        ProcessHandle.of(agent.pid()).orElseThrow().children())
                .isEmpty());
    }

    @Test
    void saysHowItIs() {
        run(shell("true"));

        AgentHealth health = client.health();

        assertThat(health.version()).isNotEmpty();
        assertThat(health.known()).isEqualTo(1);
        assertThat(health.running()).isZero();
        assertThat(health.pid()).isEqualTo((int) agent.pid());
    }

    private static void cut(Relay relay) {
        try {
            relay.cut();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ExecResult run(ExecRequest request) {
        return ExecResult.of(client.start(request));
    }

    private static ExecRequest shell(String script) {
        return ExecRequest.of(id(), List.of("sh", "-c", script));
    }

    private static String id() {
        return UUID.randomUUID().toString();
    }

    private static org.assertj.core.api.ThrowingConsumer<Throwable> is(ErrorCode code) {
        return failure -> assertThat(failure)
                .isInstanceOfSatisfying(
                        PlatformException.class, it -> assertThat(it.code()).isEqualTo(code));
    }

    /** Living processes that carry the mark of the exec. */
    private static List<Long> processesOf(String execId) {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> isMarked(pid, execId))
                .toList();
    }

    private static boolean isMarked(long pid, String execId) {
        try {
            return new String(Files.readAllBytes(Path.of("/proc/" + pid + "/environ")), UTF_8)
                    .contains("SLATE_EXEC_ID=" + execId);
        } catch (IOException e) {
            return false;
        }
    }

    private long agentMemory() {
        try (var lines = Files.lines(Path.of("/proc/" + agent.pid() + "/status"))) {
            String line =
                    lines.filter(it -> it.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Checks a stream of lines that count from 1. */
    private static final class LineCheck {
        private long last;
        private long current;

        void accept(byte[] data) {
            for (byte character : data) {
                if (character == '\n') {
                    assertThat(current).isEqualTo(last + 1);
                    last = current;
                    current = 0;
                } else {
                    current = current * 10 + character - '0';
                }
            }
        }

        long last() {
            return last;
        }
    }

    private static void write(PortStream stream, byte[] bytes) {
        try {
            stream.write(bytes);
            stream.endOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
