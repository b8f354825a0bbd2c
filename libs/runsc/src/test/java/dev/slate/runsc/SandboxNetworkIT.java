package dev.slate.runsc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tries to get out of a sandbox in every direction; only the two ports of the proxy may answer. */
class SandboxNetworkIT {

    /** Stands in for the proxy: names the destination that was dialled, and answers DNS packets with their sender. */
    private static final String PROXY = """
            import socket, threading
            tcp = socket.socket(); tcp.setsockopt(socket.SOL_IP, 19, 1); tcp.bind(('127.0.0.1', 0)); tcp.listen(64)
            udp = socket.socket(type=socket.SOCK_DGRAM); udp.bind(('127.0.0.1', 0))
            dns = socket.socket(); dns.bind(udp.getsockname()); dns.listen(64)
            def serve(listener):
                while True:
                    s, peer = listener.accept()
                    s.sendall(f'{s.getsockname()[0]}:{s.getsockname()[1]} from {peer[0]}\\n'.encode()); s.close()
            threading.Thread(target=serve, args=(tcp,)).start(); threading.Thread(target=serve, args=(dns,)).start()
            print(tcp.getsockname()[1], udp.getsockname()[1], flush=True)
            while True:
                data, peer = udp.recvfrom(2000); udp.sendto(b'dns ' + peer[0].encode(), peer)
            """;

    /** Tries each {@code tcp|udp:address:port} for two seconds and prints what came of it, one a line. */
    private static final String GUEST = """
            import socket, sys, time
            for target in sys.argv[1:]:
                kind, host, port = target.split('/')
                s = socket.socket(type=socket.SOCK_STREAM if kind == 'tcp' else socket.SOCK_DGRAM); s.settimeout(2)
                start = time.time()
                try:
                    s.connect((host, int(port)))
                    if kind == 'udp': s.send(b'?')
                    if kind == 'udp': time.sleep(0.1); s.send(b'?')
                    answer = s.recv(200).decode().strip() or 'closed'
                except OSError as e: answer = type(e).__name__
                print(target, answer, 'fast' if time.time() - start < 1 else 'slow', flush=True)
            """;

    private final TestHost host = new TestHost();
    private Process proxy;
    private SandboxNetwork network;

    @BeforeEach
    void open() throws IOException {
        proxy = new ProcessBuilder("/usr/bin/python3", "-c", PROXY)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] ports = proxy.inputReader().readLine().split(" ", -1);
        network = open(Integer.parseInt(ports[1]), Integer.parseInt(ports[0]), Set.of());
    }

    @AfterEach
    void close() throws InterruptedException {
        network.close();
        proxy.destroyForcibly().waitFor();
        host.close();
    }

    private SandboxNetwork open(int dnsPort, int tcpPort, Set<Integer> live) {
        Subnet subnet = Subnet.parse("10.247.0.0/16");
        return SandboxNetwork.open(
                host.layout, new NetworkSettings(subnet, dnsPort, tcpPort, 2, Duration.ofSeconds(60)), live);
    }

    private List<String> tryFrom(NetworkSlot slot, String... targets) {
        ContainerSpec.Builder container = host.container(concat(List.of("/usr/bin/python3", "-c", GUEST), targets));
        TestHost.Finished finished =
                host.run(container.network(slot.containerNetwork()).build());
        assertThat(finished.stderr()).isEmpty();
        return finished.stdout().lines().toList();
    }

    private static String[] concat(List<String> first, String... second) {
        return Stream.concat(first.stream(), Arrays.stream(second)).toArray(String[]::new);
    }

    @Test
    void everyConnectionArrivesAtTheProxyWithItsDestination() {
        NetworkSlot slot = network.acquire();
        String self = slot.sandboxAddress().getHostAddress();

        List<String> answers = tryFrom(slot, "tcp/93.184.216.34/443", "tcp/198.18.0.7/80", "tcp/169.254.169.254/80");

        assertThat(answers)
                .containsExactly(
                        "tcp/93.184.216.34/443 93.184.216.34:443 from " + self + " fast",
                        "tcp/198.18.0.7/80 198.18.0.7:80 from " + self + " fast",
                        "tcp/169.254.169.254/80 169.254.169.254:80 from " + self + " fast");
    }

    @Test
    void dnsToAnyServerIsAnsweredByTheProxyInThatServersName() {
        NetworkSlot slot = network.acquire();
        String self = slot.sandboxAddress().getHostAddress();

        List<String> answers = tryFrom(slot, "udp/8.8.8.8/53", "udp/10.247.0.1/53", "tcp/1.1.1.1/53");

        assertThat(answers.get(0)).isEqualTo("udp/8.8.8.8/53 dns " + self + " fast");
        assertThat(answers.get(1)).isEqualTo("udp/10.247.0.1/53 dns " + self + " fast");
        assertThat(answers.get(2)).startsWith("tcp/1.1.1.1/53 127.0.0.1:").endsWith("from " + self + " fast");
    }

    @Test
    void hostsOwnListenersAndOtherSandboxesCannotBeReached() throws Exception {
        NetworkSlot attacker = network.acquire();
        NetworkSlot victim = network.acquire();
        RunningContainer listening = host.runsc.start(host.container("/usr/bin/python3", "-m", "http.server", "8000")
                .network(victim.containerNetwork())
                .build());
        awaitAnswer(victim, 8000);
        try (ServerSocket server = new ServerSocket(0)) {
            int port = server.getLocalPort();
            String gateway = attacker.hostAddress().getHostAddress();
            String neighbour = victim.sandboxAddress().getHostAddress();

            List<String> answers = tryFrom(
                    attacker,
                    "tcp/" + gateway + "/" + port,
                    "tcp/" + hostAddress() + "/" + port,
                    "tcp/" + neighbour + "/8000");

            // Each ends at the proxy, which sees where it wanted to go and can refuse it.
            assertThat(answers.get(0)).contains(gateway + ":" + port + " from");
            assertThat(answers.get(1)).contains(hostAddress() + ":" + port + " from");
            assertThat(answers.get(2)).contains(neighbour + ":8000 from");
        }
        assertThat(listening.isAlive()).isTrue();
    }

    @Test
    void nothingIsReachedWhenTheProxyDoesNotListen() throws Exception {
        proxy.destroyForcibly().waitFor();
        NetworkSlot slot = network.acquire();
        try (ServerSocket server = new ServerSocket(0)) {
            String target = "tcp/" + slot.hostAddress().getHostAddress() + "/" + server.getLocalPort();

            assertThat(tryFrom(slot, target, "tcp/93.184.216.34/443"))
                    .containsExactly(target + " TimeoutError slow", "tcp/93.184.216.34/443 TimeoutError slow");
        }
        assertThat(network.drops(slot)).isPositive();
    }

    @Test
    void otherUdpFailsFastAndIsCounted() {
        NetworkSlot slot = network.acquire();

        assertThat(tryFrom(slot, "udp/1.1.1.1/443", "udp/10.247.0.1/123"))
                .containsExactly(
                        "udp/1.1.1.1/443 ConnectionRefusedError fast",
                        "udp/10.247.0.1/123 ConnectionRefusedError fast");

        assertThat(network.drops(slot)).isBetween(2L, 4L);
    }

    @Test
    void packetsWithAnotherSandboxesAddressAreDropped() {
        NetworkSlot slot = network.acquire();
        NetworkSlot other = network.acquire();
        // The sandbox itself cannot choose its address: this is what a broken-out sentry could do.
        HostCommand.run(
                "ip",
                "-n",
                slot.namespace(),
                "addr",
                "add",
                other.sandboxAddress().getHostAddress(),
                "dev",
                "eth0");
        String script = "import socket; s = socket.socket(); s.settimeout(1); s.bind(('"
                + other.sandboxAddress().getHostAddress() + "', 0)); s.connect(('93.184.216.34', 443))";

        HostCommand.Result result = HostCommand.tryRun(
                List.of("ip", "netns", "exec", slot.namespace(), "/usr/bin/python3", "-c", script), "");

        assertThat(result.output()).contains("TimeoutError");
        assertThat(network.drops(slot)).isPositive();
    }

    @Test
    void hostReachesASandboxAlsoAfterARestart() throws Exception {
        NetworkSlot slot = network.acquire();
        host.runsc.start(host.container("/usr/bin/python3", "-m", "http.server", "8000")
                .network(slot.containerNetwork())
                .build());
        awaitAnswer(slot, 8000);

        network.close();
        network = open(1, 2, Set.of(slot.number()));

        awaitAnswer(network.slot(slot.number()), 8000);
        assertThat(network.acquire()).isNotEqualTo(slot);
    }

    @Test
    void addressRestsAfterRelease() {
        NetworkSlot slot = network.acquire();
        network.release(slot);
        network.release(slot);

        assertThat(Path.of("/sys/class/net", slot.interfaceName())).doesNotExist();
        assertThat(network.acquire().number()).isNotEqualTo(slot.number());
    }

    @Test
    void tearDownLeavesNothing() {
        NetworkSlot slot = network.acquire();
        network.close();

        SandboxNetwork.tearDown(host.layout);
        SandboxNetwork.tearDown(host.layout);

        assertThat(HostCommand.run("nft", "list", "tables")).doesNotContain(host.layout.nftTable());
        assertThat(HostCommand.run("ip", "rule")).doesNotContain(Long.toHexString(host.layout.routingMark()));
        assertThat(HostCommand.run("ip", "link")).doesNotContain(host.layout.interfacePrefix());
        assertThat(Files.exists(Path.of("/run/netns", slot.namespace()))).isFalse();
    }

    private static void awaitAnswer(NetworkSlot slot, int port) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    try (Socket socket = new Socket()) {
                        socket.connect(new InetSocketAddress(slot.sandboxAddress(), port), 1000);
                        socket.setSoTimeout(5000);
                        socket.getOutputStream().write("HEAD / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                        return new String(socket.getInputStream().readNBytes(4), StandardCharsets.US_ASCII)
                                .equals("HTTP");
                    } catch (IOException e) {
                        return false;
                    }
                });
    }

    private static String hostAddress() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress("192.0.2.1", 9));
            return socket.getLocalAddress().getHostAddress();
        }
    }
}
