package dev.slate.controlplane.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.slate.controlplane.agent.ExecEvent.Exited;
import dev.slate.controlplane.agent.ExecEvent.TimedOut;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent as PID 1 under gVisor, whose kernel is not Linux: the things that depend on the kernel. */
@Timeout(120)
class AgentInGvisorIT {
    @TempDir
    private Path folder;

    private AgentProcess agent;
    private AgentClient client;

    @BeforeEach
    void startSandbox() throws IOException {
        agent = AgentProcess.startInGvisor(folder);
        client = agent.client();
        assertThat(client.awaitReady(Duration.ofSeconds(20)).pid()).isEqualTo(1);
    }

    @AfterEach
    void stopSandbox() {
        client.close();
        agent.close();
    }

    @Test
    void runsCommandsAsPidOne() {
        assertThat(run(shell("dmesg")).text()).contains("Starting gVisor");
        assertThat(run(shell("echo out; echo err >&2; exit 7"))).satisfies(result -> {
            assertThat(result.text()).isEqualTo("out\n");
            assertThat(result.stderr()).isEqualTo("err\n");
            assertThat(result.end())
                    .isInstanceOf(Exited.class)
                    .extracting("code")
                    .isEqualTo(7);
        });
        assertThat(run(ExecRequest.of(id(), List.of("cat"))).end()).isInstanceOf(Exited.class);
        assertThat(run(shell("id -u").withUser("nobody")).text()).isEqualTo("65534\n");

        ExecRequest daemon = shell("sleep 60 & echo x");
        assertThat(run(daemon).text()).isEqualTo("x\n");
        client.terminate(daemon.id(), Duration.ZERO);
        await().untilAsserted(() -> assertThat(processes()).doesNotContain("sleep"));
    }

    @Test
    void timeoutEndsTheWholeTreeAndOrphansAreCollected() {
        ExecRequest request = shell("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 61 & sleep 62' & "
                        + "(setsid sleep 63 &) ; sleep 64; sleep 65")
                .withTimeout(Duration.ofMillis(500));

        assertThat(run(request).end()).isInstanceOf(TimedOut.class);

        await().untilAsserted(() -> assertThat(processes()).doesNotContain("sleep"));
    }

    @Test
    void movesOutputAndFiles() throws IOException {
        ExecResult result = run(ExecRequest.of(id(), List.of("seq", "1", "2500000")));
        assertThat(result.stdout()).hasSizeGreaterThan(16 << 20);
        assertThat(result.text()).endsWith("\n2499999\n2500000\n");

        client.files().put("/srv/new/file", new ByteArrayInputStream(result.stdout()), 0600);
        ByteArrayOutputStream back = new ByteArrayOutputStream();
        client.files().get("/srv/new/file", 0, AgentFiles.ALL, back);

        assertThat(back.toByteArray()).isEqualTo(result.stdout());
        assertThat(client.files().stat("/srv/new/file").mode()).isEqualTo(0600);
        assertThat(run(shell("tail -n 1 /srv/new/file")).text()).isEqualTo("2500000\n");
    }

    /** Name and state of every process, zombies included. */
    private String processes() {
        return run(shell("cat /proc/[0-9]*/stat")).text();
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
}
