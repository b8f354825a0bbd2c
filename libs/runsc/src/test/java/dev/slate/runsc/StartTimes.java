package dev.slate.runsc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** Measures what a start is made of, beside the bare {@code runsc run}. Run its main method; prints milliseconds. */
final class StartTimes {

    private static final int ROUNDS = 12;
    private final Map<String, List<Double>> times = new LinkedHashMap<>();

    private StartTimes() {}

    public static void main(String[] arguments) throws Exception {
        try (TestHost host = new TestHost()) {
            new StartTimes().measure(host);
        }
    }

    private void measure(TestHost host) throws Exception {
        Path scratch = Files.createDirectories(host.home.resolve("scratch"));
        NetworkSettings settings = new NetworkSettings(Subnet.parse("10.248.0.0/16"), 1, 2, 4, Duration.ofSeconds(1));
        try (SandboxNetwork network = SandboxNetwork.open(host.layout, settings, Set.of())) {
            for (int round = 0; round < ROUNDS; round++) {
                while (network.warm() < settings.warmSlots()) {
                    Thread.sleep(20);
                }
                measureRound(host, network, scratch);
            }
        }
        times.forEach((name, values) -> {
            double[] sorted =
                    values.stream().mapToDouble(value -> value).sorted().toArray();
            System.out.printf(
                    "%-55s p50 %6.1f  min %6.1f  max %6.1f%n",
                    name, sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
        });
    }

    private void measureRound(TestHost host, SandboxNetwork network, Path scratch) throws Exception {
        ResourceLimits limits = new ResourceLimits(2000, 1L << 30, 256);
        time(
                "run to completion: echo, no network, own groups",
                () -> host.run(host.container("echo", "hi").limits(limits).build()));
        time("bare runsc run echo, no network", () -> bare(host));
        RunningContainer plain = time(
                "start, no network",
                () -> host.runsc.start(
                        host.container("sleep", "60").limits(limits).build()));
        time("destroy", () -> destroy(host, plain));
        NetworkSlot slot = time("acquire a warm slot", network::acquire);
        ContainerSpec spec = host.container("/usr/bin/perl", "-MSocket", "-e", """
                        socket(S, PF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(8000, INADDR_ANY)); listen(S, 9);
                        while (accept(C, S)) { print C "hi"; close C; }""")
                .network(slot.containerNetwork())
                .limits(limits)
                .rootWrites(new RootWrites.ToFile(scratch))
                .build();
        long begin = System.nanoTime();
        RunningContainer started = time("start with network", () -> host.runsc.start(spec));
        awaitAnswer(slot);
        record("start with network until a port in the guest answers", begin);
        time("destroy with network", () -> destroy(host, started));
        time("release the slot", () -> {
            network.release(slot);
            return slot;
        });
    }

    private static ContainerId destroy(TestHost host, RunningContainer container) {
        host.runsc.destroy(container.id());
        return container.id();
    }

    private static int bare(TestHost host) throws Exception {
        Path bundle = Files.createTempDirectory(host.home, "bare");
        ContainerSpec spec = host.container("echo", "hi").build();
        Files.write(bundle.resolve("config.json"), OciConfig.render(spec, List.of()));
        List<String> command = Arrays.asList(
                host.runsc.binary().path().toString(),
                "--root=" + bundle,
                "--platform=systrap",
                "--ignore-cgroups",
                "--network=none",
                "--overlay2=root:memory",
                "run",
                "--bundle=" + bundle,
                "bare");
        return HostCommand.builder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static void awaitAnswer(NetworkSlot slot) throws Exception {
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(slot.sandboxAddress(), 8000), 1000);
                if (socket.getInputStream().read() == 'h') {
                    return;
                }
            } catch (IOException e) {
                Thread.sleep(2);
            }
        }
    }

    private <T> T time(String name, Callable<T> action) throws Exception {
        long begin = System.nanoTime();
        T result = action.call();
        record(name, begin);
        return result;
    }

    private void record(String name, long begin) {
        times.computeIfAbsent(name, _ -> new ArrayList<>()).add((System.nanoTime() - begin) / 1e6);
    }
}
