package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.slate.testing.FakePlatform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxIT {

    private FakePlatform platform;
    private Slate slate;

    @BeforeEach
    void connect() {
        platform = FakePlatform.start();
        slate = TestSlate.connect(platform);
    }

    @AfterEach
    void close() {
        slate.close();
        platform.close();
    }

    @Test
    void runsWithAllThatWasSaid() {
        try (var sandbox = slate.sandbox()
                .name("loan-agent")
                .image(Image.debianSlim().aptInstall("python3-pandas"))
                .volume(slate.volume("data").at(3).mount("/data"))
                .network(NetworkPolicy.allowedHosts("api.example.com"))
                .credential("api.example.com", "KEY")
                .cpu(0.5)
                .memory("2Gi")
                .lifetime(Duration.ofMinutes(15))
                .tag("team", "risk")
                .run()) {
            var info = sandbox.info();

            assertThat(info.state()).isEqualTo(SandboxState.RUNNING);
            assertThat(info.name()).isEqualTo("loan-agent");
            assertThat(info.cpuMillis()).isEqualTo(500);
            assertThat(info.memoryBytes()).isEqualTo(2L << 30);
            assertThat(info.lifetime()).contains(Duration.ofMinutes(15));
            assertThat(info.policy()).isEqualTo(NetworkPolicy.allowedHosts("api.example.com"));
            assertThat(info.volumes()).containsExactly(new VolumeMount("data", 3, "/data"));
            assertThat(info.tags()).containsEntry("team", "risk");
        }
    }

    @Test
    void closingTerminatesAndTerminatingTwiceSucceeds() {
        var sandbox = slate.sandbox().name("a").run();

        sandbox.close();
        var again = sandbox.terminate();

        assertThat(again.state()).isEqualTo(SandboxState.TERMINATED);
        assertThat(again.cause()).isEqualTo(EndCause.USER);
        assertThat(slate.sandboxes().list()).isEmpty();
        assertThat(slate.sandboxes().listAll()).hasSize(1);
    }

    @Test
    void saysWhyASandboxDidNotStart() {
        assertThatExceptionOfType(SlateException.SandboxFailed.class)
                .isThrownBy(() -> slate.sandbox().name("broken").run())
                .withMessage("sandbox broken is failed: no such base")
                .satisfies(failure -> assertThat(failure.sandbox().cause()).isEqualTo(EndCause.IMAGE));
    }

    @Test
    void refusesATakenName() {
        slate.sandbox().name("a").run();

        assertThatExceptionOfType(SlateException.Conflict.class)
                .isThrownBy(() -> slate.sandbox().name("a").run())
                .satisfies(failure -> assertThat(failure.code()).isEqualTo("ALREADY_EXISTS"))
                .satisfies(failure -> assertThat(failure.requestId()).isNotEmpty());
    }

    @Test
    void findsALiveSandboxByName() {
        var started = slate.sandbox().name("a").run();

        assertThat(slate.sandboxes().get("a").id()).isEqualTo(started.id());
        assertThatExceptionOfType(SlateException.NotFound.class)
                .isThrownBy(() -> slate.sandboxes().get("b"))
                .withMessage("sandbox b not found");
    }

    @Test
    void replacesTheNetworkPolicy() {
        var sandbox = slate.sandbox().run();

        var info = sandbox.updateNetworkPolicy(NetworkPolicy.allowedHosts());

        assertThat(info.policy().isOpen()).isFalse();
        assertThat(info.policy().hosts()).isEmpty();
    }

    @Test
    void listsConnections() {
        var sandbox = slate.sandbox().run();

        assertThat(sandbox.egress()).singleElement().satisfies(connection -> {
            assertThat(connection.host()).isEqualTo("evil.example.com");
            assertThat(connection.allowed()).isFalse();
            assertThat(connection.reason()).isEqualTo("host_not_allowed");
        });
    }

    @Test
    void movesFilesInAndOut() {
        var files = slate.sandbox().run().files();

        files.putText("/tmp/a file", "content");
        files.move("/tmp/a file", "/tmp/b&c");

        assertThat(files.readText("/tmp/b&c")).isEqualTo("content");
        assertThat(files.stat("/tmp/b&c").size()).isEqualTo(7);
        assertThat(files.list("/tmp")).extracting(SandboxFile::type).isEqualTo(List.of(FileType.FILE));
        assertThatExceptionOfType(SlateException.NotFound.class)
                .isThrownBy(() -> files.read("/tmp/a file"))
                .withMessage("file not found: /tmp/a file");
    }

    @Test
    void changesModesAndKeepsWhatIsThere() {
        var files = slate.sandbox().run().files();
        files.putText("/a", "a");
        files.putText("/b", "0123456789");

        files.chmod("/a", 0751);

        assertThat(files.stat("/a").mode()).isEqualTo(0751);
        assertThat(files.open("/b", 3, 4)).hasContent("3456");
        assertThatExceptionOfType(SlateException.Conflict.class).isThrownBy(() -> files.move("/a", "/b", false));
        assertThat(files.readText("/b")).isEqualTo("0123456789");
    }

    @Test
    void movesDirectoriesInAndOut(@TempDir Path folder) throws IOException {
        var files = slate.sandbox().run().files();
        var source = folder.resolve("source");
        Files.createDirectories(source.resolve("sub"));
        Files.writeString(source.resolve("sub/file"), "content");

        files.uploadDirectory(source, "/tmp/there");
        var copy = files.downloadDirectory("/tmp/there", folder.resolve("back"));

        assertThat(folder.resolve("back/sub/file")).hasContent("content");
        assertThat(copy.bytes()).isEqualTo(7);
    }

    @Test
    void watchesUntilTheDirectoryIsGone() {
        var files = slate.sandbox().run().files();

        try (var watch = files.watch("/tmp", true)) {
            assertThat(watch)
                    .toIterable()
                    .containsExactly(
                            new FileChange(FileChange.Kind.CREATED, "/tmp/a", ""),
                            new FileChange(FileChange.Kind.MOVED, "/tmp/b", "/tmp/a"));
        }
    }

    @Test
    void refusesALifetimeOfNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> slate.sandbox().lifetime(Duration.ZERO))
                .withMessage("lifetime: PT0S (expected: more than zero)");
    }
}
