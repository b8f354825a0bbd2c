package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kernel enforces what was asked for; nothing here reads a limit back and believes it. */
class CgroupsIT {

    private final TestHost host = new TestHost();

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void burnerWithHalfACpuGetsNoMore() throws InterruptedException {
        RunningContainer burner =
                host.runsc.start(host.container("sh", "-c", "while :; do :; done & while :; do :; done")
                        .limits(new ResourceLimits(500, 0, 0))
                        .build());
        Duration time = Duration.ofSeconds(4);
        long before = host.runsc.usage(burner.id()).cpuNanos();
        long start = System.nanoTime();

        Thread.sleep(time);

        double cpus = (double) (host.runsc.usage(burner.id()).cpuNanos() - before) / (System.nanoTime() - start);
        assertThat(cpus).isBetween(0.2, 0.6);
    }

    @Test
    void memoryHogEndsAndTheCauseIsVisible() {
        ContainerSpec hog = host.container(
                        "/usr/bin/python3",
                        "-c",
                        "kept = [bytearray(b'x' * (16 << 20)) for _ in range(64)]; print('alive')")
                .limits(new ResourceLimits(0, 256 << 20, 0))
                .build();

        TestHost.Finished finished = host.run(hog);

        assertThat(finished.completion()).isEqualTo(new Completion.OutOfMemory());
        assertThat(finished.stdout()).doesNotContain("alive");
    }

    @Test
    void filesInMemoryCountToo() {
        ContainerSpec hog = host.container("sh", "-c", "head -c 1G /dev/zero >/file; echo alive")
                .limits(new ResourceLimits(0, 256 << 20, 0))
                .build();

        assertThat(host.run(hog).completion()).isEqualTo(new Completion.OutOfMemory());
    }

    @Test
    void sandboxWithManyProcessesStaysBelowItsLimitOfTasks() throws IOException {
        ResourceLimits limits = new ResourceLimits(0, 0, 64);
        ContainerSpec crowd = host.container(
                        "sh", "-c", "for i in $(seq 60); do sleep 600 & done; echo ready >/srv/ready; wait")
                .mount(BindMount.writable(Files.createDirectory(host.home.resolve("out")), "/srv"))
                .limits(limits)
                .build();

        RunningContainer running = host.runsc.start(crowd);

        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(host.home.resolve("out/ready")));
        CgroupUsage usage = host.runsc.usage(running.id());
        assertThat(running.isAlive()).isTrue();
        assertThat(usage.taskLimitHits()).isZero();
        assertThat(usage.tasks()).isBetween(60L, limits.hostTasks() - 1);
    }

    @Test
    void forkBombIsContained() {
        ContainerSpec bomb = host.container("sh", "-c", "while :; do sleep 600 & done")
                .limits(new ResourceLimits(0, 0, 32))
                .build();

        TestHost.Finished finished = host.run(bomb, Duration.ofSeconds(8));

        assertThat(finished.completion()).isInstanceOfAny(Completion.Exited.class, Completion.TimedOut.class);
        assertThat(host.runsc.remains()).isEmpty();
    }

    @Test
    void limitIsInTheKernelAndGoneWithTheContainer() throws IOException {
        CgroupController pids = CgroupMounts.find().stream()
                .filter(controller -> controller.name().equals("pids"))
                .findFirst()
                .orElseThrow();
        RunningContainer running = host.runsc.start(host.container("sleep", "600")
                .limits(new ResourceLimits(0, 0, 100))
                .build());
        Path group = pids.root()
                .resolve(host.layout.cgroupParent())
                .resolve(running.id().value());

        assertThat(group.resolve("pids.max")).hasContent("528");
        assertThat(Files.readAllLines(group.resolve("cgroup.procs")))
                .contains(
                        Long.toString(running.sentry().pid()),
                        Long.toString(running.gofer().pid()));
        host.runsc.destroy(running.id());

        assertThat(group).doesNotExist();
    }
}
