package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.slate.testing.FakePlatform;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CommandIT {

    private FakePlatform platform;
    private Slate slate;
    private Sandbox sandbox;

    @BeforeEach
    void connect() {
        platform = FakePlatform.start();
        slate = TestSlate.connect(platform);
        sandbox = slate.sandbox().run();
    }

    @AfterEach
    void close() {
        slate.close();
        platform.close();
    }

    @Test
    void returnsOutputAndExitCode() {
        var result = sandbox.exec("echo", "hello", "world");

        assertThat(result.stdout()).isEqualTo("hello world\n");
        assertThat(result.stderr()).isEmpty();
        assertThat(result.exitCode()).isZero();
        assertThat(result.orThrow()).isSameAs(result);
    }

    @Test
    void throwsOnDemandWithWhatTheCommandSaid() {
        var result = sandbox.exec("exit", "3");

        assertThat(result.exitCode()).isEqualTo(3);
        assertThatExceptionOfType(SlateException.ExecFailed.class)
                .isThrownBy(result::orThrow)
                .withMessage("command ended with exit code 3: ends with 3")
                .satisfies(failure -> assertThat(failure.result()).isSameAs(result));
    }

    @Test
    void reportsAMissingProgramAsAShellDoes() {
        var result = sandbox.exec("nothing");

        assertThat(result.exitCode()).isEqualTo(127);
        assertThat(result.stderr()).isEqualTo("nothing: not found\n");
    }

    @Test
    void reportsTheTimeLimit() {
        var result =
                sandbox.command("sleep", "9").timeout(Duration.ofSeconds(1)).run();

        assertThat(result.timedOut()).isTrue();
        assertThat(result.exitCode()).isEqualTo(124);
    }

    @Test
    void passesTheSizeOfATerminal() throws IOException {
        try (var running = sandbox.command("tty").terminal(100, 30).start()) {
            assertThat(running.stdout().readNBytes(7)).asString().isEqualTo("100x30\n");
            running.resize(80, 24);
            assertThat(running.stdout().readNBytes(6)).asString().isEqualTo("80x24\n");
        }
    }

    @Test
    void passesVariables() {
        assertThat(sandbox.command("env").env("A", "1").run().stdout()).isEqualTo("A=1");
    }

    @Test
    void sendsStandardInput() {
        assertThat(sandbox.command("cat").stdin("text").run().stdout()).isEqualTo("text");
    }

    @Test
    void sendsLargeStandardInputInPieces() {
        var large = "x".repeat(2_000_000);

        assertThat(sandbox.command("cat").stdin(large).run().stdout()).isEqualTo(large);
    }

    @Test
    void talksToARunningCommand() throws IOException {
        try (var running = sandbox.command("cat").stdinOpen().start()) {
            var stdin = running.stdin();
            stdin.write("one".getBytes(StandardCharsets.UTF_8));
            stdin.flush();
            assertThat(running.stdout().readNBytes(3)).asString().isEqualTo("one");

            stdin.close();

            assertThat(running.waitFor().exitCode()).isZero();
        }
    }

    @Test
    void endsACommandBySignal() {
        try (var running = sandbox.command("sleep", "9").start()) {
            running.signal("TERM");

            var result = running.waitFor();

            assertThat(result.signal()).hasValue(15);
            assertThat(result.exitCode()).isEqualTo(143);
        }
    }

    @Test
    void copiesOutputAsItComes() {
        var stdout = new ByteArrayOutputStream();
        var stderr = new ByteArrayOutputStream();

        try (var running = sandbox.command("exit", "4").start()) {
            assertThat(running.copyTo(stdout, stderr).exitCode()).isEqualTo(4);
        }

        assertThat(stdout.size()).isZero();
        assertThat(stderr.toString(StandardCharsets.UTF_8)).isEqualTo("ends with 4");
    }

    @Test
    void attachesFromAnEventOn() {
        String execId;
        try (var running = sandbox.command("echo", "hello").start()) {
            execId = running.execId();
        }

        try (var again = sandbox.attach(execId, 1)) {
            assertThat(again.events()).extracting(ExecEvent::sequence).containsExactly(1L, 2L);
        }
        assertThat(sandbox.commands()).extracting(CommandInfo::execId).containsExactly(execId);
    }

    @Test
    void continuesWhereTheConnectionBroke() throws IOException {
        try (var running = sandbox.command("cat").stdinOpen().start()) {
            var stdin = running.stdin();
            stdin.write("one ".getBytes(StandardCharsets.UTF_8));
            stdin.flush();
            assertThat(running.stdout().readNBytes(4)).asString().isEqualTo("one ");

            platform.cutConnections();
            var result = new ExecResult[1];
            var waiting = Thread.ofVirtual().start(() -> result[0] = running.waitFor());
            waitUntilReachable();
            stdin.write("two".getBytes(StandardCharsets.UTF_8));
            stdin.close();

            assertThat(join(waiting)).isTrue();
            assertThat(result[0].stdout()).isEqualTo("two");
        }
    }

    @Test
    void endsAWaitWhenTheThreadIsInterrupted() {
        try (var running = sandbox.command("sleep", "9").start()) {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(SlateException.Cancelled.class).isThrownBy(running::waitFor);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private void waitUntilReachable() {
        await().ignoreExceptions().until(() -> !slate.sandboxes().list().isEmpty());
    }

    private static boolean join(Thread thread) {
        try {
            return thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
