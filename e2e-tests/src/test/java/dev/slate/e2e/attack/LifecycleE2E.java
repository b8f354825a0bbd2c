package dev.slate.e2e.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.e2e.stack.Shell;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.SandboxState;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tries to outlive limits, to lose data, and to leave things behind. */
@OnPlatform
class LifecycleE2E {
    @Test
    void n10_theLifetimeEndsAStubbornSandboxThoughClientAndPlatformWentAway(Platform platform) {
        String id;
        try (Slate client = platform.slate()) {
            Sandbox sandbox = client.sandbox()
                    .image(Platform.PYTHON)
                    .lifetime(Duration.ofSeconds(25))
                    .run();
            sandbox.command(
                            "python3",
                            "-c",
                            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)")
                    .start();
            id = sandbox.id();
        }
        Shell.run("kill", "-9", Long.toString(platform.pid()));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> ProcessHandle.of(platform.pid()).isEmpty());
        platform.up();

        try (Slate client = platform.slate()) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> client.sandboxes().get(id).info().state() == SandboxState.TERMINATED);
            assertThat(client.sandboxes().get(id).info().cause()).hasToString("LIFETIME");
        }
    }

    @Test
    void n11_nothingWrittenToAVersionIsSaved(Slate slate) {
        var volume = slate.volume("n11").createIfMissing();
        volume.upload(
                upload -> upload.putText("a/one", "1").putText("a/two", "2").putText("b", "3"));
        var before = volume.list().toString();
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .volume(volume.at(volume.latestVersion()).mount("/data"))
                .run()) {
            sandbox.exec(
                            "sh",
                            "-c",
                            "cd /data && rm a/one && mv a/two a/three && : > b && echo more >> b && ln -s /etc/passwd link && mkdir new")
                    .orThrow();
        }
        assertThat(volume.list()).hasToString(before);
        assertThat(volume.versions()).hasSize(1);
        volume.delete();
    }

    @Test
    void n12_twoWritersLoseNothingSilently(Slate slate) {
        var volume = slate.volume("n12").createIfMissing();
        volume.putText("shared", "base");
        Sandbox first = slate.sandbox()
                .image(Platform.PYTHON)
                .volume(volume.mount("/data"))
                .run();
        Sandbox second = slate.sandbox()
                .image(Platform.PYTHON)
                .volume(volume.mount("/data"))
                .run();
        first.exec("sh", "-c", "echo -n first > /data/shared; echo 1 > /data/only-first")
                .orThrow();
        second.exec("sh", "-c", "echo -n second > /data/shared; echo 2 > /data/only-second")
                .orThrow();

        first.terminate();
        var ended = second.terminate();

        assertThat(volume.list().toString()).contains("only-first", "only-second");
        assertThat(ended.mountResults().toString()).contains("shared").containsIgnoringCase("conflict");
        assertThat(volume.versions().stream()
                        .map(version -> volume.at(version).readText("shared"))
                        .toList())
                .contains("first");
        volume.delete();
    }

    @Test
    void aSandboxThatDiesEndsWithACauseAndItsWritesAreKept(Slate slate) {
        var volume = slate.volume("dies").createIfMissing();
        volume.putText("seed", "");
        Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .memory("256Mi")
                .volume(volume.mount("/data"))
                .run();
        sandbox.exec("sh", "-c", "echo kept > /data/kept").orThrow();

        sandbox.command("python3", "-c", "x = bytearray(1 << 30); x[::4096] = b'x' * len(x[::4096])")
                .start();

        var ended = sandbox.waitForEnd();
        assertThat(ended.cause()).hasToString("OOM");
        assertThat(volume.readText("kept")).isEqualTo("kept\n");
        volume.delete();
    }

    @Test
    void aSecondLiveSandboxOfANameIsAConflict(Slate slate) {
        try (Sandbox first =
                slate.sandbox().name("taken").image(Platform.PYTHON).run()) {
            assertThatThrownBy(() ->
                            slate.sandbox().name("taken").image(Platform.PYTHON).run())
                    .isInstanceOf(SlateException.Conflict.class)
                    .hasMessageContaining("taken");
            assertThat(first.exec("true").succeeded()).isTrue();
        }
    }

    @Test
    void terminatingTwiceSucceeds(Slate slate) {
        Sandbox sandbox = slate.sandbox().image(Platform.PYTHON).run();

        sandbox.terminate();

        assertThat(sandbox.terminate().state()).isEqualTo(SandboxState.TERMINATED);
    }

    @Test
    void nothingIsLeftAfterDownAlsoWhenThePlatformWasKilled(Platform platform) {
        try (Slate client = platform.slate()) {
            client.sandbox().image(Platform.PYTHON).run();
        }
        Shell.run("kill", "-9", Long.toString(platform.pid()));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> ProcessHandle.of(platform.pid()).isEmpty());

        platform.up();
        platform.down();

        try {
            assertThat(platform.leftovers()).isEmpty();
        } finally {
            platform.up();
        }
    }
}
