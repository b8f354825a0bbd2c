package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.egress.audit.ConnectionRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tries to get connections through that the policy does not allow, and those that it does. */
class GateIT {

    private static final String HOST = "api.example.com";
    private static final String GET = "GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n";

    @TempDir
    Path folder;

    private TestAuthority authority;
    private Origin origin;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        origin = new Origin(authority.server(HOST, Duration.ofDays(1)));
        origin.handler((head, in, out) -> Origin.echo(head, in, out) && !head.contains("Connection: close"));
        proxy = new TestProxy(folder, authority, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        proxy.hosts.put(HOST, origin.address());
        proxy.allow(1, Set.of(HOST, "*.wild.example"));
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
    }

    @Test
    void splicesAnAllowedHostWithoutTouchingAByte() throws Exception {
        // The handshake with the origin's own certificate succeeds only if no byte changed.
        try (var client = proxy.tls(HOST, authority.certificate())) {
            assertThat(TestProxy.talk(client, GET))
                    .startsWith("HTTP/1.1 200 OK")
                    .contains(GET);
        }

        var entry = onlyRecord();
        assertThat(entry.decision()).isEqualTo("allowed");
        assertThat(entry.mode()).isEqualTo("splice");
        assertThat(entry.rule()).isEqualTo(HOST);
        assertThat(entry.resolvedAddress()).isEqualTo("127.0.0.1");
        assertThat(entry.bytesUp()).isGreaterThan(GET.length());
        assertThat(entry.bytesDown()).isGreaterThan(GET.length());
    }

    @Test
    void pythonSeesAResetForADeniedHost() throws Exception {
        var printed = python("""
                import socket, urllib.request
                create = socket.create_connection
                socket.create_connection = lambda address, *rest, **more: create((%s, %d), source_address=("127.0.0.1", 0))
                try:
                    urllib.request.urlopen("https://pypi.org/", timeout=10)
                except Exception as error:
                    print(type(error).__name__, error)
                """.formatted(
                quoted(proxy.dial("pypi.org", 443)), proxy.dial("pypi.org", 443).getPort()));

        assertThat(printed).isEqualTo("URLError <urlopen error [Errno 104] Connection reset by peer>");
        assertThat(onlyRecord().reason()).isEqualTo("host_not_allowed");
        assertThat(onlyRecord().host()).isEqualTo("pypi.org");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wild.example",
                "evil-wild.example",
                "a.wild.example.evil.test",
                "api.example.com.evil.test",
                "example.com"
            })
    void resetsNamesThatOnlyLookAllowed(String name) throws Exception {
        assertReset(proxy.dial(name, 443), ClientHelloTest.hello(name));

        assertThat(onlyRecord().reason()).isEqualTo("host_not_allowed");
    }

    @Test
    void resetsAnAllowedNameAtTheAddressOfAnother() throws Exception {
        assertReset(proxy.dial("pypi.org", 443), ClientHelloTest.hello(HOST));

        assertThat(onlyRecord().reason()).isEqualTo("address_mismatch");
    }

    @Test
    void resetsAnAllowedNameAtARealAddress() throws Exception {
        assertReset(proxy.dialLiteral(184, 215, 14, 443), ClientHelloTest.hello(HOST));

        assertThat(onlyRecord().reason()).isEqualTo("address_mismatch");
    }

    @Test
    void resetsAHelloWithoutAName() throws Exception {
        var hello = new String(ClientHelloTest.hello(HOST), ISO_8859_1);
        // Another extension type in place of server_name.
        var at = hello.indexOf("\0\0\0\u0014\0\u0012\0\0\u000f" + HOST);
        var nameless = (hello.substring(0, at) + "\u007f\u007f" + hello.substring(at + 2)).getBytes(ISO_8859_1);

        assertReset(proxy.dial(HOST, 443), nameless);

        assertThat(onlyRecord().reason()).isEqualTo("no_server_name");
    }

    @Test
    void resetsAHelloThatNamesAnAddress() throws Exception {
        var hello = new String(ClientHelloTest.hello(HOST), ISO_8859_1)
                .replace(HOST, "169.254.169.254")
                .getBytes(ISO_8859_1);

        assertReset(proxy.dial(HOST, 443), hello);

        assertThat(onlyRecord().reason()).isEqualTo("host_not_allowed");
    }

    @Test
    void readsAHelloInPiecesOfOneByte() throws Exception {
        try (var client = proxy.connect(proxy.dial("pypi.org", 443))) {
            client.setTcpNoDelay(true);
            assertThatThrownBy(() -> {
                        for (var b : ClientHelloTest.hello("pypi.org")) {
                            client.getOutputStream().write(b);
                        }
                        var _ = client.getInputStream().read();
                    })
                    .isInstanceOf(IOException.class);
        }

        assertThat(onlyRecord().reason()).isEqualTo("host_not_allowed");
    }

    @Test
    void resetsWhatIsNotTlsOn443() throws Exception {
        assertReset(proxy.dial(HOST, 443), "SSH-2.0-x\r\n".getBytes(ISO_8859_1));

        assertThat(onlyRecord().reason()).isEqualTo("wrong_protocol");
    }

    @Test
    void resetsASilentClientAfterFiveSeconds() throws Exception {
        try (var client = proxy.connect(proxy.dial(HOST, 443))) {
            assertThatThrownBy(() -> client.getInputStream().read()).hasMessageContaining("reset");
        }

        assertThat(onlyRecord().reason()).isEqualTo("hello_timeout");
        assertThat(onlyRecord().duration()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(9));
    }

    @Test
    void resetsStrangersAtOnce() throws Exception {
        try (var client = proxy.connect(InetAddress.ofLiteral("127.0.0.9"), proxy.dial(HOST, 443))) {
            assertThatThrownBy(() -> client.getInputStream().read()).hasMessageContaining("reset");
        }

        await().untilAsserted(() -> assertThat(proxy.proxy.control().connections("unknown", 0, 10))
                .extracting(ConnectionRecord::reason)
                .containsExactly("unknown_source"));
    }

    @Test
    void refusesNamesWithPrivateAddressesOnly() throws Exception {
        proxy.hosts.put(HOST, new InetSocketAddress("169.254.169.254", 443));

        assertReset(proxy.dial(HOST, 443), ClientHelloTest.hello(HOST));

        assertThat(onlyRecord().reason()).isEqualTo("address_refused");
    }

    @Test
    void refusesPrivateAddressLiteralsAlsoWhenOpen() throws Exception {
        proxy.open(2);
        proxy.hosts.put("metadata.example", new InetSocketAddress("10.0.0.1", 80));
        try (var client = proxy.connect(proxy.dial("metadata.example", 80))) {
            var answer = TestProxy.talk(client, "GET / HTTP/1.1\r\nHost: metadata.example\r\n\r\n");

            assertThat(answer).startsWith("HTTP/1.1 403").contains("address_refused");
        }
    }

    @Test
    void resetsAnUnknownName() throws Exception {
        proxy.open(2);

        assertReset(proxy.dial("nowhere.example", 443), ClientHelloTest.hello("nowhere.example"));

        assertThat(onlyRecord().reason()).isEqualTo("name_not_found");
    }

    @Test
    void lets443ServersSpeakFirstOnlyOnOtherPorts() throws Exception {
        var greeter = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (var socket = greeter.accept()) {
                socket.getOutputStream().write("SSH-2.0-server\r\n".getBytes(ISO_8859_1));
                socket.getOutputStream().flush();
                var _ = socket.getInputStream().read();
            } catch (IOException _) {
                // The test ends.
            }
        });
        proxy.hosts.put("git.example", (InetSocketAddress) greeter.getLocalSocketAddress());

        assertReset(proxy.dial("git.example", 2222), new byte[0]);
        proxy.open(2);
        try (var client = proxy.connect(proxy.dial("git.example", 2222))) {
            assertThat(new String(client.getInputStream().readNBytes(16), ISO_8859_1))
                    .isEqualTo("SSH-2.0-server\r\n");
        }
        greeter.close();
    }

    @Test
    void i104_oneSandboxMayHave512ConnectionsAndNoMore() throws Exception {
        var open = new ArrayList<Socket>();
        try {
            for (var i = 0; i < 512; i++) {
                open.add(proxy.connect(proxy.dial(HOST, 443)));
            }
            await().until(() -> proxy.proxy.plane().connections().count(TestProxy.SANDBOX) == 512);

            assertReset(proxy.dial(HOST, 443), new byte[0]);
        } finally {
            for (var socket : open) {
                socket.close();
            }
        }
        assertThat(proxy.records()).extracting(ConnectionRecord::reason).contains("too_many_connections");
    }

    @Test
    void cutsWhatANewPolicyNoLongerAllows() throws Exception {
        try (var client = proxy.tls(HOST, authority.certificate())) {
            client.getOutputStream().write(GET.replace("close", "keep-alive").getBytes(ISO_8859_1));
            assertThat(client.getInputStream().read()).isEqualTo('H');

            proxy.allow(2, Set.of("other.example"));

            assertThat(proxy.proxy.plane().connections().count(TestProxy.SANDBOX))
                    .isZero();
            assertThatThrownBy(() -> client.getInputStream().readAllBytes()).isInstanceOf(IOException.class);
        }
        assertThat(onlyRecord().reason()).isEqualTo("policy_changed");
    }

    @Test
    void cutsASplicedConnectionWhenTheHostGetsACredential() throws Exception {
        try (var client = proxy.tls(HOST, authority.certificate())) {
            proxy.allow(2, Set.of(HOST), TestProxy.credential(HOST));

            assertThatThrownBy(() -> TestProxy.talk(client, GET)).isInstanceOf(IOException.class);
        }
        try (var client = proxy.terminated(HOST)) {
            assertThat(TestProxy.talk(client, GET)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void cutsEverythingOfARemovedSandbox() throws Exception {
        try (var client = proxy.tls(HOST, authority.certificate())) {
            proxy.proxy.control().remove(TestProxy.SANDBOX);

            assertThatThrownBy(() -> TestProxy.talk(client, GET)).isInstanceOf(IOException.class);
        }
        assertThat(onlyRecord().reason()).isEqualTo("sandbox_removed");
    }

    @Test
    void recordsHostileNamesAsOneHarmlessLine() throws Exception {
        var hello = new String(ClientHelloTest.hello(HOST), ISO_8859_1)
                .replace(HOST, "\u001b[31m\"\r\n\0{}.example".substring(0, HOST.length()))
                .getBytes(ISO_8859_1);

        assertReset(proxy.dial(HOST, 443), hello);

        assertThat(onlyRecord().reason()).isEqualTo("bad_server_name");
        var lines = Files.readAllLines(folder.resolve("audit/" + TestProxy.SANDBOX + ".jsonl"));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst().chars()).allMatch(c -> c >= 0x20 && c < 0x7f);
    }

    private void assertReset(InetSocketAddress address, byte[] sent) throws IOException {
        try (var client = proxy.connect(address)) {
            client.getOutputStream().write(sent);
            assertThatThrownBy(() -> client.getInputStream().read()).hasMessageContaining("reset");
        }
    }

    private ConnectionRecord onlyRecord() {
        await().until(() -> proxy.records().size() == 1);
        return proxy.records().getFirst();
    }

    private static String quoted(InetSocketAddress address) {
        return "\"" + address.getAddress().getHostAddress() + "\"";
    }

    private static String python(String script) throws Exception {
        var process = new ProcessBuilder("python3", "-c", script)
                .redirectErrorStream(true)
                .start();
        var printed = new String(process.getInputStream().readAllBytes(), ISO_8859_1).strip();
        assertThat(process.waitFor()).isZero();
        return printed;
    }
}
