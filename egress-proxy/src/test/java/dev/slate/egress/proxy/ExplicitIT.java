package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The explicit port: CONNECT and whole URLs. The numbers are those of the attack list. */
class ExplicitIT {

    private static final String HOST = "api.example.com";
    private static final String SPLICED = "spliced.example.com";
    private static final String PLATFORM = "api.slate.internal";

    @TempDir
    Path folder;

    private TestAuthority authority;
    private Origin origin;
    private Origin spliced;
    private Origin plain;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        origin = new Origin(authority.server(HOST, Duration.ofDays(1)));
        spliced = new Origin(authority.server(SPLICED, Duration.ofDays(1)));
        spliced.handler((head, in, out) -> Origin.echo(head, in, out) && !head.contains("Connection: close"));
        plain = new Origin();
        proxy = new TestProxy(folder, authority, plain.address());
        proxy.hosts.put(HOST, origin.address());
        proxy.hosts.put(SPLICED, spliced.address());
        proxy.hosts.put("plain.example.com", plain.address());
        proxy.hosts.put("metadata.example.com", new InetSocketAddress("169.254.169.254", 80));
        proxy.allow(
                1,
                Set.of(HOST, SPLICED, PLATFORM, "plain.example.com", "metadata.example.com", "nowhere.example.com"),
                TestProxy.credential(HOST));
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
        spliced.close();
        plain.close();
    }

    @Test
    void connectsToAnAllowedHostWithoutTouchingAByte() throws Exception {
        try (var tunnel = tunnel(SPLICED + ":443");
                var client = TestProxy.tls(tunnel, SPLICED, authority.certificate())) {
            assertThat(TestProxy.talk(client, request(SPLICED, ""))).startsWith("HTTP/1.1 200");
        }
        await().until(() -> proxy.records().size() == 1);
        assertThat(proxy.records().getFirst().mode()).isEqualTo("splice");
        assertThat(proxy.records().getFirst().host()).isEqualTo(SPLICED);
        assertThat(proxy.records().getFirst().port()).isEqualTo(443);
    }

    @Test
    void swapsCredentialsInTunnels() throws Exception {
        try (var tunnel = tunnel(HOST + ":443");
                var client = TestProxy.tls(tunnel, HOST, proxy.platformAuthority())) {
            assertThat(TestProxy.talk(client, request(HOST, "X-Key: " + TestProxy.PLACEHOLDER + "\r\n")))
                    .startsWith("HTTP/1.1 200")
                    .doesNotContain(TestProxy.SECRET);
        }
        assertThat(origin.heads().getFirst()).contains("X-Key: " + TestProxy.SECRET);
    }

    @Test
    void f67_64MebibytesGoThroughHttp2InsideTlsInsideConnect() throws Exception {
        try (var far = new Http2Origin(authority.server(HOST, Duration.ofDays(1)))) {
            proxy.hosts.put(HOST, far.address());
            try (var client =
                    new Http2Client(TestProxy.SOURCE, explicit(), HOST + ":443", HOST, proxy.platformAuthority())) {
                assertThat(client.protocol()).isEqualTo("h2");
                assertThat(client.send(Http2Client.get(HOST, "/download/" + (64 << 20)))
                                .text())
                        .hasSize(64 << 20);
                var up = client.open(Http2Client.post(HOST, "/upload"), false);
                for (var i = 0; i < 64; i++) {
                    up.data(new byte[1 << 20], i == 63);
                }
                assertThat(up.answer().head().get("x-received")).hasToString(Integer.toString(64 << 20));
            }
        }
    }

    @Test
    void takesOldClientsThatSendNoHost() throws Exception {
        try (var client = proxy.connect(explicit())) {
            write(client, "CONNECT " + SPLICED + ":443 HTTP/1.0\r\n\r\n");
            assertThat(readHead(client.getInputStream())).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void e56_aDeniedConnectSaysSoAtOnce() throws Exception {
        var start = System.nanoTime();
        try (var client = proxy.connect(explicit())) {
            var answer = TestProxy.talk(client, connect("pypi.org:443"));

            assertThat(answer.lines().findFirst().orElseThrow())
                    .startsWith("HTTP/1.1 403 ")
                    .contains("egress policy")
                    .contains("retrying another way will not help");
            assertThat(answer)
                    .contains("\"code\":\"host_not_allowed\"")
                    .contains("\"host\":\"pypi.org\"")
                    .contains("connection: close");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com:22, host_not_allowed",
        "api.example.com:25, host_not_allowed",
        "api.example.com:8443, host_not_allowed",
        "api.example.com:3128, host_not_allowed",
        "pypi.org:443, host_not_allowed",
        "api.slate.internal:3128, host_not_allowed",
        "api.slate.internal:80, wrong_protocol",
        "169.254.169.254:80, host_not_allowed",
        "127.0.0.1:443, host_not_allowed",
        "localhost:443, host_not_allowed",
        "metadata.example.com:80, address_refused",
        "[::1]:443, bad_target",
        "[64:ff9b::a9fe:a9fe]:443, bad_target",
        "2130706433:443, bad_target",
        "0x7f.1:443, bad_target",
        "127.1:443, bad_target",
        "api.example.com, bad_target",
        "api.example.com:0, bad_target",
        "api.example.com:443/path, bad_target",
        "user@api.example.com:443, bad_target",
        "api.example.com..:443, bad_target",
        "/, bad_target",
        "https://api.example.com/, bad_target",
    })
    void e57_e59_targetsThatAreNotAllowedAre403(String target, String code) throws Exception {
        try (var client = proxy.connect(explicit())) {
            assertThat(TestProxy.talk(client, connect(target)))
                    .startsWith("HTTP/1.1 403")
                    .contains("\"code\":\"" + code + "\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"169.254.169.254:80", "10.0.0.1:443", "127.0.0.2:7081", "localtest.example.com:443"})
    void e59_privateAddressesAre403AlsoWhenEverythingIsOpen(String target) throws Exception {
        proxy.open(2);
        proxy.hosts.put("localtest.example.com", new InetSocketAddress("127.0.0.3", 443));
        try (var client = proxy.connect(explicit())) {
            assertThat(TestProxy.talk(client, connect(target)))
                    .startsWith("HTTP/1.1 403")
                    .contains("address_refused");
        }
    }

    @Test
    void aNameWithoutAddressIs502() throws Exception {
        try (var client = proxy.connect(explicit())) {
            assertThat(TestProxy.talk(client, connect("nowhere.example.com:443")))
                    .startsWith("HTTP/1.1 502")
                    .contains("name_not_found");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "spliced.example.com, pypi.org",
        "spliced.example.com, api.example.com",
        "api.example.com, spliced.example.com"
    })
    void e58_aTunnelToOneHostCarriesNoHelloForAnother(String target, String serverName) throws Exception {
        try (var tunnel = tunnel(target + ":443")) {
            tunnel.getOutputStream().write(ClientHelloTest.hello(serverName));
            assertThatThrownBy(() -> tunnel.getInputStream().read()).hasMessageContaining("reset");
        }
        assertThat(origin.heads()).isEmpty();
        assertThat(spliced.heads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"CONNECT pypi.org:443 HTTP/1.1\r\nHost: pypi.org:443\r\n\r\n", "SSH-2.0-x\r\n", "\u0005\u0001\0"
            })
    void e60_aTunnelCarriesOnlyTls(String bytes) throws Exception {
        try (var tunnel = tunnel(SPLICED + ":443")) {
            write(tunnel, bytes);
            assertThatThrownBy(() -> {
                        var answer = tunnel.getInputStream().readAllBytes();
                        if (new String(answer, ISO_8859_1).startsWith("HTTP/1.1 4")) {
                            throw new IOException("reset in words");
                        }
                    })
                    .hasMessageContaining("reset");
        }
        assertThat(spliced.heads()).isEmpty();
    }

    @Test
    void e60_everyRequestOfAConnectionIsDecidedAlone() throws Exception {
        plain.handler((head, in, out) -> Origin.echo(head, in, out));
        try (var client = proxy.connect(explicit())) {
            for (var i = 0; i < 3; i++) {
                write(client, "GET http://plain.example.com/" + i + " HTTP/1.1\r\nHost: plain.example.com\r\n\r\n");
                assertThat(readHead(client.getInputStream())).startsWith("HTTP/1.1 200");
                var _ = client.getInputStream()
                        .readNBytes(plain.heads().getLast().length());
            }
            assertThat(TestProxy.talk(client, "GET http://pypi.org/ HTTP/1.1\r\nHost: pypi.org\r\n\r\n"))
                    .startsWith("HTTP/1.1 403")
                    .contains("host_not_allowed");
        }
        assertThat(plain.heads()).hasSize(3);
        assertThat(plain.heads().getFirst()).startsWith("GET /0 HTTP/1.1\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT spliced.example.com:443 HTTP/1.1\r\nHost: spliced.example.com\r\nContent-Length: 5\r\n\r\nhello",
                "CONNECT spliced.example.com:443 HTTP/1.1\r\nHost: spliced.example.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: plain.example.com\r\n\r\n",
                "GET https://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
                "GET http://plain.example.com/ HTTP/1.1\r\nHost: pypi.org\r\n\r\n",
                "GET http://plain.example.com:22/ HTTP/1.1\r\nHost: plain.example.com\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            })
    void e62_d42_oddRequestsAre400(String request) throws Exception {
        try (var client = proxy.connect(explicit())) {
            assertThat(TestProxy.talk(client, request)).startsWith("HTTP/1.1 400");
        }
        assertThat(plain.heads()).isEmpty();
    }

    @Test
    void e63_proxyAuthorizationIsNeverPassedOn() throws Exception {
        try (var client = proxy.connect(explicit())) {
            assertThat(TestProxy.talk(
                            client,
                            "GET http://plain.example.com/ HTTP/1.1\r\nHost: plain.example.com\r\nProxy-Authorization: Bearer "
                                    + TestProxy.PLACEHOLDER + "\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
        }
        assertThat(plain.heads().getFirst())
                .doesNotContain(TestProxy.PLACEHOLDER)
                .doesNotContain(TestProxy.SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0005\u0001\0", "\u0004\u0001\u0001\u00bb\0\0\0\u0001u\0api.example.com\0evil\0"})
    void e64_socksIsClosed(String bytes) throws Exception {
        try (var client = proxy.connect(explicit())) {
            write(client, bytes);
            assertThatThrownBy(() -> client.getInputStream().read()).hasMessageContaining("reset");
        }
    }

    @Test
    void anotherNameOnTheSamePortIsNoProxy() throws Exception {
        try (var client = proxy.connect(proxy.dial(SPLICED, Gateway.EXPLICIT_PORT))) {
            assertThat(TestProxy.talk(client, connect(SPLICED + ":443"))).startsWith("HTTP/1.1 405");
        }
    }

    @Test
    void e7_aNewPolicyCutsTunnels() throws Exception {
        try (var tunnel = tunnel(SPLICED + ":443");
                var client = TestProxy.tls(tunnel, SPLICED, authority.certificate())) {
            proxy.allow(2, Set.of(PLATFORM));

            assertThat(proxy.proxy.plane().connections().count(TestProxy.SANDBOX))
                    .isZero();
            assertThatThrownBy(() -> TestProxy.talk(client, request(SPLICED, "")))
                    .isInstanceOf(IOException.class);
        }
    }

    private InetSocketAddress explicit() {
        return proxy.dial(PLATFORM, Gateway.EXPLICIT_PORT);
    }

    private Socket tunnel(String target) throws IOException {
        var client = proxy.connect(explicit());
        write(client, connect(target));
        assertThat(readHead(client.getInputStream())).startsWith("HTTP/1.1 200");
        return client;
    }

    private static String connect(String target) {
        return "CONNECT " + target + " HTTP/1.1\r\nHost: " + target.replaceAll("[^a-zA-Z0-9.:]", "") + "\r\n\r\n";
    }

    private static String request(String host, String headers) {
        return "GET / HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "Connection: close\r\n\r\n";
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
    }

    private static String readHead(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (!text.toString().endsWith("\r\n\r\n")) {
            var next = in.read();
            if (next < 0) {
                return text + " [end]";
            }
            text.append((char) next);
        }
        return text.toString();
    }
}
