package dev.slate.e2e.interactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.Image;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs that need a terminal, under real gVisor. */
@OnPlatform
@Timeout(300)
class TerminalE2E {
    private static final Image IMAGE = Image.debianSlim().aptInstall("procps", "vim");
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";
    private static final String ESCAPE = "\u001b";

    private Sandbox sandbox;

    @BeforeEach
    void startSandbox(Slate slate) {
        sandbox = slate.sandbox().image(IMAGE).name("terminal").run();
    }

    @AfterEach
    void endSandbox() {
        sandbox.terminate();
    }

    @Test
    void aShellSeesTheSizeItsChangesAndTheEnd() {
        try (Typist typist = start("bash", "--norc")) {
            typist.type("stty size; tty\n");
            typist.see("30 100\r\n/dev/pts/");
            typist.resize(132, 43);
            typist.type("stty size\n");
            typist.see("43 132\r\n");
            typist.type("echo $((40 + 2)) >&2\n");
            typist.see("42\r\n");
            typist.type(CTRL_D);

            assertThat(typist.end().exitCode()).isZero();
            assertThatThrownBy(() -> typist.resize(80, 24)).isInstanceOf(SlateException.FailedPrecondition.class);
        }
    }

    @Test
    void vimFillsTheScreenAndWritesWhatWasTyped() {
        try (Typist typist = start("vim", "/tmp/note")) {
            typist.seeInRow(29, "\"/tmp/note\" [New]");
            await().untilAsserted(
                            () -> assertThat(typist.screen().subList(1, 29)).containsOnly("~"));
            typist.type("ifirst line\rsecond, gr\u00fcn");
            typist.seeInRow(1, "second, gr\u00fcn");
            typist.seeInRow(29, "-- INSERT --");
            typist.resize(132, 43);
            typist.seeInRow(42, "-- INSERT --");
            await().untilAsserted(() -> {
                assertThat(typist.screen().subList(0, 2)).containsExactly("first line", "second, gr\u00fcn");
                assertThat(typist.screen().subList(2, 42)).containsOnly("~");
            });
            typist.type(ESCAPE);
            typist.type(":echo &columns &lines\r");
            typist.seeInRow(42, "132 43");
            typist.type(":wq\r");

            assertThat(typist.end().exitCode()).isZero();
            assertThat(sandbox.exec("cat", "/tmp/note").stdout()).isEqualTo("first line\nsecond, gr\u00fcn\n");
        }
    }

    @Test
    void topFillsTheScreenAlsoWhenItsSizeChanges() {
        sandbox.exec("sh", "-c", "for i in $(seq 60); do sleep 600 & done").orThrow();
        try (Typist typist = start("top", "-d", "90")) {
            typist.see("PID USER");
            await().untilAsserted(() -> assertThat(typist.screen().get(29)).contains("sleep"));
            typist.resize(150, 45);
            await().untilAsserted(() -> assertThat(typist.screen().get(44)).contains("sleep"));
            await().untilAsserted(
                            () -> assertThat(typist.screen().subList(7, 45)).noneMatch(String::isBlank));
            typist.type("q");

            assertThat(typist.end().exitCode()).isZero();
        }
    }

    @Test
    void ctrlCInterruptsTheProgramAndNotTheShell() {
        try (Typist typist = start("bash", "--norc")) {
            typist.type("echo go; sleep 600\n");
            typist.see("\rgo\r\n");
            typist.forget();
            typist.type(CTRL_C);
            typist.see("# ");
            typist.type("echo status=$?\n");
            typist.see("status=130");
            typist.type("exit 3\n");

            assertThat(typist.end().exitCode()).isEqualTo(3);
        }
        try (Typist typist = start("sleep", "600")) {
            typist.type(CTRL_C);

            assertThat(typist.end().exitCode()).isEqualTo(130);
        }
    }

    @Test
    void aTerminalWithoutInputIsAtItsEnd() {
        assertThat(sandbox.command("cat").terminal(80, 24).run().exitCode()).isZero();
        assertThat(sandbox.command("sh", "-c", "tty; id -u")
                        .user("nobody")
                        .terminal(80, 24)
                        .run()
                        .stdout())
                .contains("/dev/pts/", "65534");
    }

    @Test
    void theCommandLineUsesTheTerminalAndLeavesItAsItWas(Platform platform) {
        String session = platform.onTerminal("session", "sandbox", "exec", "-it", "terminal", "--", "bash", "--norc")
                .orThrow()
                .stdout();

        assertThat(session)
                .contains("30 100\r\n", "40 120\r\n", "interrupted 130\r\n", "terminal restored\r\n", "code=7\r\n");
    }

    @Test
    void theCommandLineRestoresTheTerminalWhenItIsEnded(Platform platform) {
        String session = platform.onTerminal("killed", "sandbox", "exec", "-it", "terminal", "--", "bash", "--norc")
                .orThrow()
                .stdout();

        assertThat(session).contains("terminal restored\r\n", "code=143\r\n");
    }

    private Typist start(String... command) {
        return new Typist(
                sandbox.command(command)
                        .terminal(100, 30)
                        .env("TERM", "xterm")
                        .env("LC_ALL", "C.UTF-8")
                        .stdinOpen()
                        .start(),
                100,
                30);
    }
}
