package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What hosts answer over HTTP/1.1, honest and hostile. The numbers are those of the attack list. */
class AnswerIT {

    private static final String HOST = "api.example.com";

    @TempDir
    Path folder;

    private Origin origin;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        var authority = new TestAuthority();
        origin = new Origin(authority.server(HOST, Duration.ofDays(1)));
        proxy = new TestProxy(folder, authority, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        proxy.hosts.put(HOST, origin.address());
        proxy.allow(1, Set.of(HOST), TestProxy.credential(HOST));
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
    }

    @Test
    void h97_aSubprotocolCarriesTheSecretOutAndThePlaceholderBack() throws Exception {
        answering("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Protocol: token." + TestProxy.SECRET + "\r\n\r\n");
        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream()
                    .write(("GET /ws HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                    + "Sec-WebSocket-Protocol: v1, token." + TestProxy.PLACEHOLDER + "\r\n\r\n")
                            .getBytes(ISO_8859_1));

            assertThat(readHead(client.getInputStream()))
                    .startsWith("HTTP/1.1 101")
                    .contains("Sec-WebSocket-Protocol: token." + TestProxy.PLACEHOLDER)
                    .doesNotContain(TestProxy.SECRET);
        }
        assertThat(origin.heads().getFirst()).contains("Sec-WebSocket-Protocol: v1, token." + TestProxy.SECRET);
    }

    @Test
    void e7_aNewPolicyCutsWebSockets() throws Exception {
        answering("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream()
                    .write(("GET /ws HTTP/1.1\r\nHost: " + HOST
                                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                            .getBytes(ISO_8859_1));
            assertThat(readHead(client.getInputStream())).startsWith("HTTP/1.1 101");

            proxy.allow(2, Set.of("other.example.com"));

            assertThat(proxy.proxy.plane().connections().count(TestProxy.SANDBOX))
                    .isZero();
            assertThatThrownBy(() -> client.getInputStream().readAllBytes()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void interimAnswersPassAndAreScrubbed() throws Exception {
        answering("HTTP/1.1 103 Early Hints\r\nLink: <" + TestProxy.SECRET + ">\r\n\r\n"
                + "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

        assertThat(send("GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 103")
                .contains("Link: <" + TestProxy.PLACEHOLDER + ">")
                .contains("HTTP/1.1 102")
                .contains("HTTP/1.1 200")
                .contains("ok")
                .doesNotContain(TestProxy.SECRET);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void c3_trailersReachClientsThatAskForThem(boolean asked) throws Exception {
        answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: grpc-status\r\n\r\n"
                + "2\r\nok\r\n0\r\ngrpc-status: 0\r\nx-secret: " + TestProxy.SECRET + "\r\n\r\n");

        var answer = send("GET / HTTP/1.1\r\nHost: " + HOST + "\r\nTE: trailers\r\nConnection: close"
                + (asked ? ", TE" : "") + "\r\n\r\n");

        assertThat(answer).contains("ok").doesNotContain(TestProxy.SECRET);
        assertThat(answer.contains("grpc-status: 0")).isEqualTo(asked);
        assertThat(Origin.header(origin.heads().getFirst(), "te")).isEqualTo(asked ? "trailers" : "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 204 No Content\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\nforged",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nforged",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nforged\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nforged",
                "SSH-2.0-forged\r\n",
                "HTTP/1.1 2000 OK\r\n\r\nforged",
            })
    void d52_whatAHostSendsBeyondItsAnswerReachesNobody(String bytes) throws Exception {
        answering(bytes);
        for (var i = 0; i < 2; i++) {
            var answer = sendOrBreak("GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n");
            assertThat(answer).doesNotContain("forged").doesNotContain("SSH");
        }

        origin.handler(Origin::echo);
        assertThat(send("GET /honest HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200")
                .contains("GET /honest");
    }

    @Test
    void d52_endlessInterimAnswersAndHeadersAre502() throws Exception {
        answering("HTTP/1.1 102 Processing\r\n\r\n".repeat(100));
        assertThat(send("GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .contains("HTTP/1.1 502")
                .contains("upstream_failed");

        answering("HTTP/1.1 200 OK\r\n" + ("X: " + "a".repeat(1000) + "\r\n").repeat(200) + "\r\n");
        assertThat(send("GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 502");
    }

    @Test
    void d54_redirectsAreNotFollowed() throws Exception {
        answering("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n");

        assertThat(send("GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 302")
                .contains("Location: http://169.254.169.254/");
        assertThat(origin.heads()).hasSize(1);
    }

    @Test
    void i103_aRequestThatTricklesInIsEndedAfterFifteenSeconds() throws Exception {
        var start = System.nanoTime();
        try (var client = proxy.terminated(HOST)) {
            client.setSoTimeout(30_000);
            client.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(ISO_8859_1));
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Thread.sleep(Duration.ofSeconds(1));
                        client.getOutputStream().write("X: y\r\n".getBytes(ISO_8859_1));
                    }
                } catch (IOException | InterruptedException _) {
                    // It has been ended.
                }
            });

            assertThat(new String(client.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 408");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofSeconds(14), Duration.ofSeconds(20));
    }

    private void answering(String bytes) {
        origin.handler((head, in, out) -> {
            out.write(bytes.getBytes(ISO_8859_1));
            out.flush();
            return true;
        });
    }

    private String send(String text) throws Exception {
        try (var client = proxy.terminated(HOST)) {
            return TestProxy.talk(client, text);
        }
    }

    /** What came until the connection broke off. */
    private String sendOrBreak(String text) throws Exception {
        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream().write(text.getBytes(ISO_8859_1));
            var all = new StringBuilder();
            try {
                for (var next = client.getInputStream().read();
                        next >= 0;
                        next = client.getInputStream().read()) {
                    all.append((char) next);
                }
            } catch (IOException _) {
                // It broke off.
            }
            return all.toString();
        }
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
