package dev.slate.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.ExecEvent;
import dev.slate.sdk.ExecResult;
import dev.slate.sdk.FileType;
import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every command ends once and as it did, whatever it started and however it resists. */
@OnPlatform
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExecE2E {
    private static final String DEAF = "trap '' TERM INT HUP; ";

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
    void inputIsAtItsEndUnlessSomebodyGivesSome(Platform platform) {
        assertThat(sandbox.exec("cat").orThrow().stdout()).isEmpty();
        assertThat(sandbox.command("cat").stdin("given").run().stdout()).isEqualTo("given");
        assertThat(platform.cli("sandbox", "exec", sandbox.id(), "--", "cat").orThrow())
                .satisfies(result -> assertThat(result.stdout()).isEmpty());
        try (RunningCommand running = sandbox.command("cat").stdinOpen().start()) {
            running.closeStdin();
            assertThat(running.waitFor().exitCode()).isZero();
        }
    }

    @Test
    void aBackgroundChildDoesNotHoldItUpAndLivesOn() {
        long begin = System.nanoTime();
        String pid = sh("sleep 600 & echo $!").strip();

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        assertThat(sh("cat /proc/" + pid + "/comm")).isEqualTo("sleep\n");
        sh("kill " + pid);
    }

    @Test
    void aTimeoutEndsTheWholeTreeHoweverItResists() {
        String writer = "while :; do echo x >> /tmp/grows; sleep 0.02; done";
        String script = DEAF + "setsid sh -c \"" + DEAF + writer + "\" & (setsid sh -c \"" + DEAF + "sleep 7701\" &); "
                + writer;

        long begin = System.nanoTime();
        ExecResult result = sandbox.command("sh", "-c", script)
                .timeout(Duration.ofSeconds(1))
                .run();
        Duration taken = Duration.ofNanos(System.nanoTime() - begin);
        String size = sh("stat -c %s /tmp/grows");

        assertThat(result.timedOut()).isTrue();
        assertThat(result.exitCode()).isEqualTo(124);
        assertThat(result.signal()).isEmpty();
        assertThat(taken).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(8));
        assertThat(Integer.parseInt(size.strip())).isPositive();
        assertThat(sh("sleep 1; stat -c %s /tmp/grows")).isEqualTo(size);
        assertThat(sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).doesNotContain("7701 ", "setsid");
    }

    @Test
    void everyExitCodeIsItself() {
        List<Integer> codes = new ArrayList<>();
        for (int code = 0; code < 256; code++) {
            ExecResult result = sandbox.exec("sh", "-c", "exit " + code);
            assertThat(result.signal()).isEmpty();
            assertThat(result.timedOut()).isFalse();
            codes.add(result.exitCode());
        }
        assertThat(codes)
                .containsExactlyElementsOf(IntStream.range(0, 256).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 24, 31, 64})
    void deathByASignalIsNoExitCode(int signal) {
        ExecResult died = sandbox.exec("sh", "-c", "kill -" + signal + " $$; sleep 5");

        assertThat(died.signal()).hasValue(signal);
        assertThat(died.exitCode()).isEqualTo(128 + signal);
    }

    @Test
    void anExitCodeOf137IsNoSignal() {
        assertThat(sandbox.exec("sh", "-c", "exit 137").signal()).isEmpty();
    }

    @Test
    void stuckCommandsHurtNoOther() {
        List<RunningCommand> stuck = new ArrayList<>();
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int number = 0; number < 20; number++) {
                String script = number % 2 == 0 ? "kill -STOP $$" : "sleep 600";
                RunningCommand running =
                        sandbox.command("sh", "-c", script).stdinOpen().start();
                stuck.add(running);
                var _ = writers.submit(() -> {
                    running.stdin().write(new byte[4 << 20]);
                    return true;
                });
            }
            long begin = System.nanoTime();
            for (int round = 0; round < 20; round++) {
                assertThat(sandbox.command("cat").stdin("in").run().stdout()).isEqualTo("in");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));

            stuck.forEach(RunningCommand::kill);
            assertThat(stuck)
                    .allSatisfy(
                            running -> assertThat(running.waitFor().signal()).hasValue(9));
        }
        stuck.forEach(RunningCommand::close);
    }

    @Test
    void fiftyOfAllKindsAtOnceEndAsTheyShould() throws Exception {
        List<Callable<Boolean>> kinds = List.of(
                () -> sandbox.exec("true").exitCode() == 0,
                () -> sandbox.exec("sh", "-c", "exit 9").exitCode() == 9,
                () -> sandbox.command("cat")
                                .stdin("x".repeat(300_000))
                                .run()
                                .stdout()
                                .length()
                        == 300_000,
                () -> sandbox.exec("sh", "-c", "kill -9 $$").signal().orElse(0) == 9,
                () -> sandbox.command("sleep", "60")
                        .timeout(Duration.ofMillis(300))
                        .run()
                        .timedOut(),
                () -> sandbox.exec("head", "-c", "3000000", "/dev/zero").stdoutBytes().length == 3_000_000,
                () -> sandbox.command("tty").terminal(80, 24).run().stdout().startsWith("/dev/pts/"),
                () -> sandbox.command("id", "-u").user("nobody").run().stdout().equals("65534\n"),
                () -> sandbox.exec("no-such-command").exitCode() == 127,
                () -> sandbox.exec("sh", "-c", "sleep 3 & echo x; echo y >&2")
                        .stderr()
                        .equals("y\n"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> ends = new ArrayList<>();
            for (int number = 0; number < 50; number++) {
                ends.add(threads.submit(kinds.get(number % kinds.size())));
            }
            for (int number = 0; number < 50; number++) {
                assertThat(ends.get(number).get())
                        .as("kind %d", number % kinds.size())
                        .isTrue();
            }
        }
    }

    @Test
    void eachHasOneTerminalEventAndItIsTheLast() {
        for (String script : List.of("exit 3", "kill -9 $$", "echo x & sleep 1 & echo y", "exec no-such-command")) {
            try (RunningCommand running = sandbox.command("sh", "-c", script).start()) {
                assertOneEnd(running);
                assertOneEnd(sandbox.attach(running.execId(), 0));
            }
        }
    }

    private static void assertOneEnd(RunningCommand running) {
        List<ExecEvent> events = new ArrayList<>();
        running.events().forEach(events::add);

        assertThat(events).last().isInstanceOf(ExecEvent.Ended.class);
        assertThat(events).filteredOn(ExecEvent.Ended.class::isInstance).hasSize(1);
        assertThat(events).extracting(ExecEvent::sequence).isSorted().doesNotHaveDuplicates();
    }

    /** The warm-up fills what is kept on purpose: threads, connections, the latest 256 execs. */
    @Test
    @Timeout(300)
    void aThousandInARowLeaveNothing(Platform platform) {
        run(300);
        Leavings before = Leavings.of(sandbox, platform);

        run(1000);

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () -> assertThat(Leavings.of(sandbox, platform)).satisfies(it -> it.assertNoMoreThan(before)));
    }

    private void run(int times) {
        for (int number = 0; number < times; number++) {
            switch (number % 10) {
                case 7 ->
                    assertThat(sandbox.command("cat").stdin("in").run().stdout())
                            .isEqualTo("in");
                case 8 ->
                    assertThat(sandbox.exec("sh", "-c", "(sleep 0.01 &) ; exit 4")
                                    .exitCode())
                            .isEqualTo(4);
                case 9 -> assertThat(sandbox.exec("no-such-command").exitCode()).isEqualTo(127);
                default -> sandbox.exec("true").orThrow();
            }
        }
    }

    @Test
    void manyHandlesThatAreClosedEarlyHurtNoOtherCall() {
        try (RunningCommand running = sandbox.command("sleep", "600").start()) {
            for (int i = 0; i < 500; i++) {
                sandbox.attach(running.execId(), 0).close();
                assertThat(sandbox.files().stat("/tmp").type()).isEqualTo(FileType.DIRECTORY);
            }
            running.kill();
            assertThat(running.waitFor().signal()).hasValue(9);
        }
    }

    @Test
    void inputForACommandThatHasEndedIsRefused() {
        try (RunningCommand running = sandbox.command("true").stdinOpen().start()) {
            running.waitFor();
            assertThatThrownBy(() -> {
                        var stdin = running.stdin();
                        stdin.write(7);
                        stdin.flush();
                    })
                    .isInstanceOf(SlateException.FailedPrecondition.class)
                    .hasMessageContaining("stdin is closed");
        }
    }

    private String sh(String script) {
        return sandbox.exec("sh", "-c", script).orThrow().stdout();
    }
}
