package dev.slate.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableList;
import dev.slate.api.exec.v1.ExecsGrpc;
import dev.slate.api.exec.v1.StartExecRequest;
import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Shell;
import dev.slate.sdk.CommandInfo;
import dev.slate.sdk.ExecEnd;
import dev.slate.sdk.ExecEvent;
import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Commands outlive clients and the platform, and their records outlive the sandbox. */
@OnPlatform
class RecordsE2E {
    private static final String COUNT =
            "i=0; while [ $i -lt %d ]; do i=$((i+1)); echo line $i; sleep 0.1; done; exit 7";

    @Test
    void aClientThatIsKilledLosesNothing(Platform platform, Slate slate) throws IOException {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run()) {
            Process client = platform.start(
                    Map.of(), "sandbox", "exec", "--name", sandbox.id(), "--", "sh", "-c", COUNT.formatted(40));
            try (BufferedReader output = client.inputReader(StandardCharsets.UTF_8)) {
                assertThat(output.readLine()).isEqualTo("line 1");
            }
            client.destroyForcibly();
            String execId = sandbox.runningCommands()
                    .map(CommandInfo::execId)
                    .findFirst()
                    .orElseThrow();

            assertComplete(sandbox, execId, 40);
        }
    }

    @Test
    void aPlatformThatIsKilledLosesNothing(Platform platform) {
        try (Slate client = platform.slate();
                Sandbox sandbox = client.sandbox().image(Platform.PYTHON).run();
                RunningCommand running =
                        sandbox.command("sh", "-c", COUNT.formatted(150)).start();
                RunningCommand quick =
                        sandbox.command("sh", "-c", "sleep 2; exit 9").start()) {
            kill(platform);
            Shell.run("sleep", "3");
            platform.up();

            try (Slate again = platform.slate()) {
                Sandbox same = again.sandboxes().get(sandbox.id());
                // Ended while nobody was there, and seen by nobody.
                await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(() -> assertThat(
                                        same.commandInfo(quick.execId()).end())
                                .contains(new ExecEnd.Exited(9)));
                assertComplete(same, running.execId(), 150);
            }
        }
    }

    @Test
    void aStartThatNeverReachedTheSandboxIsLostAfterARestart(Platform platform) throws IOException, SQLException {
        try (Slate client = platform.slate();
                Sandbox sandbox = client.sandbox().image(Platform.PYTHON).run()) {
            sandbox.exec("true").orThrow();
            writeDirectly(platform, """
                    insert into exec select sandbox, 'never', environment, command, command_cut, 'x', workdir, run_as,
                    terminal, timeout_ms, now(), 'RUNNING', 0, '', 0, null from exec where sandbox = '%s'
                    """.formatted(sandbox.id()));
            kill(platform);
            platform.up();

            try (Slate again = platform.slate()) {
                Sandbox same = again.sandboxes().get(sandbox.id());
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> !same.commandInfo("never").running());
                assertThat(same.commandInfo("never").end().orElseThrow())
                        .isInstanceOfSatisfying(
                                ExecEnd.Lost.class,
                                lost -> assertThat(lost.message()).contains("before it had started"));
                assertThat(end(same, "never")).isInstanceOf(ExecEnd.Lost.class);
            }
        }
    }

    @Test
    void aCommandThatTheDatabaseForgotIsTakenUp(Platform platform, Slate slate) throws IOException, SQLException {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run();
                RunningCommand running = sandbox.command("sleep", "600").start()) {
            writeDirectly(platform, "delete from exec where id = '%s'".formatted(running.execId()));

            assertThat(sandbox.runningCommands()).singleElement().satisfies(info -> {
                assertThat(info.execId()).isEqualTo(running.execId());
                assertThat(info.command()).containsExactly("sleep");
                assertThat(info.startedAt()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            });
            running.signal("TERM");

            assertThat(sandbox.attach(running.execId(), 0).waitFor().signal()).isPresent();
            assertThat(sandbox.commandInfo(running.execId()).end().orElseThrow())
                    .isInstanceOf(ExecEnd.Signaled.class);
        }
    }

    @Test
    void anIdStandsForOneCommand(Platform platform, Slate slate) throws IOException {
        ManagedChannel channel = ManagedChannelBuilder.forAddress(
                        platform.endpoint().getHost(), platform.endpoint().getPort())
                .usePlaintext()
                .build();
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run()) {
            var execs = ExecsGrpc.newBlockingStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(platform)));
            String script = "echo $$ >> /tmp/ran; cat /tmp/ran";
            StartExecRequest request = StartExecRequest.newBuilder()
                    .setSandbox(sandbox.id())
                    .setExecId("mine")
                    .addAllCommand(List.of("sh", "-c", script))
                    .build();

            List<dev.slate.api.exec.v1.ExecEvent> first = ImmutableList.copyOf(execs.startExec(request));
            List<dev.slate.api.exec.v1.ExecEvent> again = ImmutableList.copyOf(execs.startExec(request));

            assertThat(again).isEqualTo(first);
            assertThat(sandbox.exec("wc", "-l", "/tmp/ran").stdout()).startsWith("1 ");
            assertThatThrownBy(() -> execs.startExec(
                                    request.toBuilder().addCommand("other").build())
                            .next())
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining("exec id mine was used in this sandbox for another command");
            assertThat(sandbox.exec("wc", "-l", "/tmp/ran").stdout()).startsWith("1 ");
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void waitingForALimitedTimeLosesNothing(Slate slate) throws InterruptedException {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run();
                RunningCommand running = sandbox.command("sh", "-c", "echo a; sleep 2; echo b; exit 4")
                        .start()) {
            assertThat(running.waitFor(Duration.ofMillis(500))).isEmpty();

            assertThat(running.waitFor(Duration.ofSeconds(30))).hasValueSatisfying(result -> {
                assertThat(result.stdout()).isEqualTo("a\nb\n");
                assertThat(result.exitCode()).isEqualTo(4);
            });
        }
    }

    @Test
    void theCommandLineFollowsLogsAndShowsTheirEnd(Platform platform, Slate slate) throws IOException {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run();
                RunningCommand running =
                        sandbox.command("sh", "-c", COUNT.formatted(60)).start()) {
            String execId = running.execId();
            Process follower = platform.start(Map.of(), "sandbox", "logs", "-f", sandbox.id(), execId);
            assertThat(follower.inputReader(StandardCharsets.UTF_8).lines())
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 60)
                            .mapToObj(i -> "line " + i)
                            .toList());

            assertThat(platform.cli("sandbox", "logs", "--tail", "2", sandbox.id(), execId)
                            .orThrow()
                            .stdout())
                    .isEqualTo("line 59\nline 60\n");
            assertThat(platform.cli("sandbox", "logs", "--tail", "0", sandbox.id(), execId)
                            .orThrow()
                            .stdout())
                    .isEmpty();
            assertThat(platform.cli("sandbox", "logs", "--tail", "-1", sandbox.id(), execId)
                            .stderr())
                    .contains("--tail: -1 (expected: 0 or more)");
            long last = ImmutableList.copyOf(running.events(0)).getLast().sequence();
            Platform.Result rest =
                    platform.cli("sandbox", "attach", "--from", Long.toString(last), sandbox.id(), execId);
            assertThat(rest.stdout()).isEmpty();
            assertThat(rest.exitCode()).isEqualTo(7);
        }
    }

    @Test
    void ctrlCLeavesAnAttachedCommandRunningAndEndsASandboxThatWasMadeForOne(Platform platform, Slate slate)
            throws IOException {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run();
                RunningCommand running =
                        sandbox.command("sh", "-c", COUNT.formatted(600)).start()) {
            Process attached = platform.start(Map.of(), "sandbox", "attach", sandbox.id(), running.execId());
            interruptAfterItsFirstLine(attached);

            assertThat(sandbox.runningCommands())
                    .extracting(CommandInfo::execId)
                    .containsExactly(running.execId());
        }
        Process made = platform.start(
                Map.of(), "sandbox", "create", "--rm", "--name", "once", "--", "sh", "-c", COUNT.formatted(600));
        interruptAfterItsFirstLine(made);

        assertThat(slate.sandboxes().list()).noneMatch(sandbox -> sandbox.name().equals("once"));
    }

    @Test
    void theEndOfTheSandboxEndsItsCommands(Slate slate) {
        Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run();
        String ended = runAndName(sandbox, "sh", "-c", "echo out; exit 3");
        try (RunningCommand running = sandbox.command("sleep", "600").start()) {
            sandbox.terminate();

            assertThatThrownBy(running::waitFor)
                    .isInstanceOf(SlateException.Unavailable.class)
                    .hasMessageContaining("terminated by");
            await().atMost(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(
                                    sandbox.commandInfo(running.execId()).end().orElseThrow())
                            .isInstanceOfSatisfying(
                                    ExecEnd.Lost.class,
                                    lost -> assertThat(lost.message()).contains("user: terminated by")));
            assertThat(end(sandbox, running.execId())).isInstanceOf(ExecEnd.Lost.class);
        }
        assertThat(sandbox.commandInfo(ended).end()).contains(new ExecEnd.Exited(3));
        try (RunningCommand again = sandbox.attach(ended, 0)) {
            assertThat(again.events())
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly("LogGone", "Ended");
        }
        assertThat(sandbox.commands()).hasSize(2);
        assertThat(sandbox.runningCommands()).isEmpty();
    }

    @Test
    void commandsAreListedNewestFirstPageByPage(Slate slate) {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run()) {
            IntStream.rangeClosed(1, 120)
                    .forEach(i -> sandbox.exec("true", Integer.toString(i)).orThrow());
            List<String> numbers =
                    sandbox.commands().map(info -> info.command().getLast()).toList();

            assertThat(numbers)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 120)
                            .mapToObj(i -> Integer.toString(121 - i))
                            .toList());
            assertThat(sandbox.commands()).allSatisfy(info -> {
                assertThat(info.end()).contains(new ExecEnd.Exited(0));
                assertThat(info.endedAt().orElseThrow()).isAfter(info.startedAt());
            });
            assertThat(sandbox.runningCommands()).isEmpty();
        }
    }

    @Test
    void anUnknownCommandIsNotFound(Slate slate) {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run()) {
            assertThatThrownBy(() -> sandbox.commandInfo("unknown"))
                    .isInstanceOf(SlateException.NotFound.class)
                    .hasMessage("command not found: unknown");
            assertThatThrownBy(() -> end(sandbox, "unknown"))
                    .isInstanceOf(SlateException.NotFound.class)
                    .hasMessage("command not found: unknown");
        }
    }

    @Test
    void withoutGitTheMessageSaysSo(Slate slate) {
        try (Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run()) {
            assertThatThrownBy(() -> sandbox.git().status("/"))
                    .isInstanceOf(SlateException.FailedPrecondition.class)
                    .hasMessageContaining("aptInstall");
        }
    }

    /** Reads it twice: each line once and in order, and the true exit code. */
    private static void assertComplete(Sandbox sandbox, String execId, int lines) {
        List<String> expected =
                IntStream.rangeClosed(1, lines).mapToObj(i -> "line " + i).toList();
        try (RunningCommand again = sandbox.attach(execId, 0)) {
            var result = again.waitFor();
            assertThat(result.stdout().lines()).containsExactlyElementsOf(expected);
            assertThat(result.exitCode()).isEqualTo(7);
            assertThat(again.events(0)).last().isInstanceOf(ExecEvent.Ended.class);
        }
        assertThat(sandbox.commandInfo(execId).end()).contains(new ExecEnd.Exited(7));
    }

    private static void interruptAfterItsFirstLine(Process process) throws IOException {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.readLine()).isEqualTo("line 1");
            Shell.run("kill", "-INT", Long.toString(process.pid()));
            await().atMost(Duration.ofSeconds(20)).until(() -> !process.isAlive());
        }
        assertThat(process.exitValue()).isEqualTo(130);
    }

    private static Metadata bearer(Platform platform) throws IOException {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer "
                        + Files.readString(platform.home().resolve("owner-token"))
                                .strip());
        return headers;
    }

    private static ExecEnd end(Sandbox sandbox, String execId) {
        try (RunningCommand running = sandbox.attach(execId, 0)) {
            ExecEnd end = new ExecEnd.Lost("no end");
            for (ExecEvent event : running.events()) {
                if (event instanceof ExecEvent.Ended ended) {
                    end = ended.end();
                }
            }
            return end;
        }
    }

    private static String runAndName(Sandbox sandbox, String... command) {
        try (RunningCommand running = sandbox.command(command).start()) {
            var _ = running.waitFor();
            return running.execId();
        }
    }

    /** As a platform would have that dies before its next step. */
    private static void writeDirectly(Platform platform, String statement) throws IOException, SQLException {
        Path folder = platform.home().resolve("postgres");
        String port = Files.readAllLines(folder.resolve("data/postmaster.pid")).get(3);
        String password = Files.readString(folder.resolve("password")).strip();
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", password);
                Statement now = connection.createStatement()) {
            now.execute(statement);
        }
    }

    private static void kill(Platform platform) {
        Shell.run("kill", "-9", Long.toString(platform.pid()));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> ProcessHandle.of(platform.pid()).isEmpty());
    }
}
