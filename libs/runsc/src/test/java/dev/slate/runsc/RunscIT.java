package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunscIT {

    private final TestHost host = new TestHost();

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void runsCommandToItsEndInsideGvisor() {
        ContainerSpec spec = host.container("sh", "-c", "dmesg | head -n 1; echo problem >&2; exit 7")
                .build();

        TestHost.Finished finished = host.run(spec);

        assertThat(finished.completion()).isEqualTo(new Completion.Exited(7));
        assertThat(finished.stdout()).contains("Starting gVisor");
        assertThat(finished.stderr()).isEqualTo("problem\n");
        assertThat(host.runsc.remains()).isEmpty();
    }

    @Test
    void givesTheCommandOnlyItsOwnEnvironment() {
        ContainerSpec spec = host.container("env")
                .environment(Map.of("PATH", "/usr/bin:/bin", "GREETING", "hello"))
                .build();

        TestHost.Finished finished = host.run(spec);

        assertThat(finished.stdout().lines()).allMatch(line -> line.matches("(PATH|GREETING|HOME|PWD)=.*"));
        assertThat(finished.stdout()).contains("GREETING=hello");
    }

    @Test
    void keepsWritesOffTheHostOrLetsThemReachIt() throws IOException {
        Path scratch = Files.createDirectories(host.home.resolve("scratch"));
        Path root = overlayOfHost();
        String[] command = {"sh", "-c", "echo built > /result"};

        host.run(host.container(command)
                .rootWrites(new RootWrites.ToFile(scratch))
                .build());
        assertThat(Path.of("/result")).doesNotExist();
        ContainerId id = new ContainerId("build-step");
        TestHost.Finished step =
                host.run(ContainerSpec.of(id, root, List.of(command)).build());

        assertThat(step.completion()).isEqualTo(new Completion.Exited(0));
        assertThat(host.home.resolve("layer/upper/result")).hasContent("built");
    }

    @Test
    void writableMountReachesTheHost() throws IOException {
        Path data = Files.createDirectories(host.home.resolve("data"));

        host.run(host.container("sh", "-c", "echo yes >/mnt/answer")
                .mount(BindMount.writable(data, "/mnt"))
                .build());

        assertThat(data.resolve("answer")).hasContent("yes");
    }

    @Test
    void readOnlyMountCannotBeChangedOnTheHost() throws IOException {
        Path data = Files.createDirectories(host.home.resolve("data"));
        Path answer = Files.writeString(data.resolve("answer"), "yes");
        Path single = Files.writeString(host.home.resolve("single"), "yes");
        String attacks = """
                import os
                for path in '/mnt/answer', '/srv/single':
                    for attack in (
                            lambda: os.open(path, os.O_RDONLY | os.O_TRUNC), lambda: os.open(path, os.O_RDWR | os.O_TRUNC),
                            lambda: os.truncate(path, 0), lambda: os.chmod(path, 0), lambda: os.remove(path)):
                        try: attack(); print('changed')
                        except OSError as e: print(e.strerror)
                """;
        ContainerSpec spec = host.container("/usr/bin/python3", "-c", attacks)
                .mount(BindMount.readOnly(data, "/mnt"))
                .mount(BindMount.readOnly(single, "/srv/single"))
                .build();

        TestHost.Finished finished = host.run(spec);

        assertThat(finished.stderr()).isEmpty();
        assertThat(finished.stdout().lines()).hasSize(10).doesNotContain("changed");
        assertThat(answer).hasContent("yes");
        assertThat(single).hasContent("yes");
        assertThat(Mounts.below(host.home)).isEmpty();
    }

    @Test
    void endsEverythingInsideWhenTheTimeIsOver() {
        ContainerSpec spec = host.container("sh", "-c", "trap '' TERM; sleep 600 & sleep 600")
                .build();

        TestHost.Finished finished = host.run(spec, Duration.ofSeconds(1));

        assertThat(finished.completion()).isEqualTo(new Completion.TimedOut());
        assertThat(host.runsc.remains()).isEmpty();
    }

    @Test
    void cancelsFromAnotherThread() throws InterruptedException {
        ForegroundContainer container =
                host.runsc.run(host.container("sleep", "600").build(), (source, bytes) -> {});
        Thread canceller = Thread.ofVirtual().start(container::cancel);

        Completion completion = container.await(Duration.ofMinutes(1));

        canceller.join();
        assertThat(completion).isEqualTo(new Completion.Cancelled());
    }

    @Test
    void saysWhatIsWrongWhenTheCommandDoesNotExist() {
        ContainerSpec spec = host.container("/no/such/program").build();

        assertThatThrownBy(() -> host.runsc.start(spec))
                .isInstanceOf(RunscException.class)
                .hasMessageContaining("failed to load /no/such/program: no such file or directory");
        assertThatThrownBy(() -> host.run(spec)).hasMessageContaining("/no/such/program");
        assertThat(host.runsc.remains()).isEmpty();
    }

    @Test
    void findsContainersOfAnEarlierProcessAndEndsThem() throws Exception {
        RunningContainer started =
                host.runsc.start(host.container("sleep", "600").build());
        Runsc restarted = Runsc.open(host.layout, RunscBinary.find());

        assertThat(restarted.list()).containsExactly(started);
        long before = System.nanoTime();
        restarted.destroy(started.id());
        long took = System.nanoTime() - before;

        restarted.onExit(started).get(5, TimeUnit.SECONDS);
        assertThat(started.isAlive()).isFalse();
        assertThat(started.gofer().isAlive()).isFalse();
        assertThat(restarted.remains()).isEmpty();
        assertThat(Duration.ofNanos(took)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void sandboxEndsWithItsFirstProcess() throws Exception {
        RunningContainer started = host.runsc.start(
                host.container("sh", "-c", "sleep 600 & sleep 0.5").build());

        host.runsc.onExit(started).get(20, TimeUnit.SECONDS);

        assertThat(host.runsc.list()).isEmpty();
        assertThat(host.runsc.remains()).containsExactly(started.id());
    }

    @Test
    void refusesASecondContainerOfTheSameName() {
        ContainerSpec spec = host.container("sleep", "600").build();
        RunningContainer first = host.runsc.start(spec);

        assertThatThrownBy(() -> host.runsc.start(spec)).hasMessageContaining("exists already");

        assertThat(first.isAlive()).isTrue();
    }

    private Path overlayOfHost() throws IOException {
        Path layer = Files.createDirectories(host.home.resolve("layer"));
        Mounts.mount("tmpfs", List.of(), false, layer);
        Path upper = Files.createDirectory(layer.resolve("upper"));
        Path work = Files.createDirectory(layer.resolve("work"));
        Path root = Files.createDirectories(host.home.resolve("root"));
        Mounts.overlay(OverlayMount.writable(List.of(Path.of("/")), upper, work), root);
        return root;
    }
}
