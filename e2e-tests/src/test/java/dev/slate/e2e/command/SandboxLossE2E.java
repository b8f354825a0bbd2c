package dev.slate.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Shell;
import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sandbox that dies or falls silent: whoever waits for a command in it is told within five seconds, and why. */
@OnPlatform
@Timeout(120)
class SandboxLossE2E {
    private static final Duration NOTICED = Duration.ofSeconds(5);

    private Sandbox sandbox;

    @BeforeEach
    void startSandbox(Slate slate) {
        sandbox = slate.sandbox().image(Platform.PYTHON).run();
    }

    @AfterEach
    void endSandbox() {
        sandbox.terminate();
    }

    @Test
    void theDeathOfTheSandboxEndsItsCommandsWithTheCause() {
        try (RunningCommand running = started()) {
            long begin = System.nanoTime();
            signalKernel("KILL");

            assertThatThrownBy(running::waitFor)
                    .isInstanceOf(SlateException.class)
                    .hasMessageContaining("FAILED")
                    .hasMessageContaining("runtime");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(NOTICED);
        }
    }

    @Test
    void aFrozenSandboxIsNoticedAndItsCommandsCanBeReadAgainLater() {
        try (RunningCommand running = started()) {
            String execId = running.execId();
            long begin = System.nanoTime();
            signalKernel("STOP");
            try {
                assertThatThrownBy(running::waitFor)
                        .isInstanceOf(SlateException.Unavailable.class)
                        .hasMessageContaining("does not answer");
                assertThat(Duration.ofNanos(System.nanoTime() - begin))
                        .isBetween(Duration.ofSeconds(2), NOTICED.plusMillis(500));
            } finally {
                signalKernel("CONT");
            }
            assertThat(sandbox.exec("echo", "awake").orThrow().stdout()).isEqualTo("awake\n");
            try (RunningCommand again = sandbox.attach(execId, 0)) {
                again.kill();
                assertThat(again.waitFor().signal()).hasValue(9);
            }
        }
    }

    private RunningCommand started() {
        RunningCommand running =
                sandbox.command("sh", "-c", "echo runs; exec sleep 600").start();
        assertThat(running.events().iterator().next()).isNotNull();
        return running;
    }

    /** The process on the host that is the kernel of the sandbox. */
    private void signalKernel(String signal) {
        String line = Shell.run("ps", "-eo", "pid,args")
                .lines()
                .filter(each -> each.contains(sandbox.id()) && each.contains("runsc-sandbox"))
                .findFirst()
                .orElseThrow();
        Shell.run("kill", "-" + signal, line.strip().split(" ", 2)[0]);
    }
}
