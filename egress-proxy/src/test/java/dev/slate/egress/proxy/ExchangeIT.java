package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.audit.ConnectionRecord;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to hosts with a credential, honest and hostile ones. */
class ExchangeIT {

    private static final String HOST = "api.example.com";
    private static final String OTHER = "other.example.com";
    private static final String SECRET = TestProxy.SECRET;
    private static final String PLACEHOLDER = TestProxy.PLACEHOLDER;

    @TempDir
    Path folder;

    private TestAuthority authority;
    private Origin origin;
    private Origin other;
    private Origin plain;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        origin = new Origin(authority.server(HOST, Duration.ofDays(1)));
        other = new Origin(authority.server(OTHER, Duration.ofDays(1)));
        other.handler((head, in, out) -> echoOnce(head, in, out));
        plain = new Origin();
        proxy = new TestProxy(folder, authority, plain.address());
        proxy.hosts.put(HOST, origin.address());
        proxy.hosts.put(OTHER, other.address());
        proxy.allow(1, Set.of(HOST, OTHER, "api.slate.internal"), TestProxy.credential(HOST));
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
        other.close();
        plain.close();
        noArtefactHoldsTheSecret();
    }

    private void noArtefactHoldsTheSecret() throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file)).as(file.toString()).doesNotContain(SECRET);
            }
        }
    }

    @Test
    void swapsThePlaceholderAndScrubsTheEcho() throws Exception {
        var answer = get("Authorization: Bearer " + PLACEHOLDER);

        assertThat(origin.heads().getFirst()).contains("Authorization: Bearer " + SECRET);
        assertThat(answer)
                .startsWith("HTTP/1.1 200 OK")
                .doesNotContain(SECRET)
                .contains("X-Echo: Bearer " + PLACEHOLDER)
                .contains("Authorization: Bearer " + PLACEHOLDER);
        var entry = onlyRecord();
        assertThat(entry.mode()).isEqualTo("terminate");
        assertThat(entry.credentials()).containsExactly("KEY");
        assertThat(entry.requests()).isEqualTo(1);
        assertThat(entry.lastPath()).isEqualTo("/path");
        assertThat(entry.lastStatus()).isEqualTo(200);
    }

    @Test
    void swapsInsideBasicAuthenticationAndScrubsIt() throws Exception {
        var answer = get("Authorization: Basic " + base64("user:" + PLACEHOLDER));

        assertThat(Origin.header(origin.heads().getFirst(), "authorization"))
                .isEqualTo("Basic " + base64("user:" + SECRET));
        assertThat(answer).doesNotContain(base64("user:" + SECRET)).contains(PLACEHOLDER);
    }

    @Test
    void leavesPathQueryBodyAndOtherPlaceholdersAlone() throws Exception {
        var foreign = "__slate-secret-" + "f".repeat(32);
        var body = "{\"env\":\"" + PLACEHOLDER + "\"}";
        origin.handler((head, in, out) -> {
            var sent = new String(in.readNBytes(body.length()), UTF_8);
            out.write(("HTTP/1.1 200 OK\r\nX-Body: " + sent + "\r\nContent-Length: 0\r\n\r\n").getBytes(UTF_8));
            return true;
        });

        var answer = send("POST /" + PLACEHOLDER + "?q=" + PLACEHOLDER + " HTTP/1.1\r\nHost: " + HOST
                + "\r\nX-Key: " + foreign + "\r\nUser-Agent: " + PLACEHOLDER + "\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n" + body);

        assertThat(origin.heads().getFirst())
                .contains("POST /" + PLACEHOLDER + "?q=" + PLACEHOLDER)
                .contains("X-Key: " + foreign)
                .contains("User-Agent: " + PLACEHOLDER)
                .doesNotContain(SECRET);
        assertThat(answer).contains("X-Body: " + body);
    }

    @Test
    void neverSendsTheSecretToAnotherHost() throws Exception {
        proxy.allow(2, Set.of(HOST, OTHER), TestProxy.credential(HOST));
        try (var client = proxy.tls(OTHER, authority.certificate())) {
            var _ = TestProxy.talk(
                    client,
                    "GET / HTTP/1.1\r\nHost: " + OTHER + "\r\nAuthorization: Bearer " + PLACEHOLDER
                            + "\r\nConnection: close\r\n\r\n");
        }

        assertThat(other.heads().getFirst()).contains(PLACEHOLDER).doesNotContain(SECRET);
    }

    @Test
    void c34_refusesAnotherHostHeaderThanTheNameOfTheHello() throws Exception {
        var answer = send(request(OTHER, "Authorization: Bearer " + PLACEHOLDER));

        assertThat(answer).startsWith("HTTP/1.1 421").contains("wrong_host").contains("connection: close");
        assertThat(origin.heads()).isEmpty();
        assertThat(other.heads()).isEmpty();
    }

    @Test
    void d46_checksTheHostOfEveryRequestOfAConnection() throws Exception {
        var answer = send("GET /1 HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n" + request(OTHER, "X: y"));

        assertThat(answer).startsWith("HTTP/1.1 200").contains("HTTP/1.1 421");
        assertThat(origin.heads()).hasSize(1);
    }

    @Test
    void d46_pipelinedRequestsShareNothing() throws Exception {
        var answer = send("GET /1 HTTP/1.1\r\nHost: " + HOST + "\r\nX-Key: " + PLACEHOLDER
                + "\r\n\r\nGET /2 HTTP/1.1\r\nHost: " + HOST + "\r\n\r\nGET /3 HTTP/1.1\r\nHost: " + OTHER
                + "\r\nX-Key: " + PLACEHOLDER + "\r\n\r\nGET /4 HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n");

        assertThat(answer.indexOf("GET /1")).isBetween(0, answer.indexOf("GET /2"));
        assertThat(answer).contains("HTTP/1.1 421").doesNotContain("GET /4");
        assertThat(origin.heads()).hasSize(2);
        assertThat(origin.heads().getFirst()).contains(SECRET);
        assertThat(origin.heads().getLast()).doesNotContain("X-Key");
    }

    @Test
    void d50_optionsOfTheWholeServerPass() throws Exception {
        assertThat(send("OPTIONS * HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
        assertThat(origin.heads().getFirst()).startsWith("OPTIONS * HTTP/1.1");
    }

    @Test
    void h102_aPlainClientMaySayThatItWillSendNoMore() throws Exception {
        proxy.hosts.put(OTHER, plain.address());
        try (var client = proxy.connect(proxy.dial(OTHER, 80))) {
            client.getOutputStream().write(("GET / HTTP/1.1\r\nHost: " + OTHER + "\r\n\r\n").getBytes(UTF_8));
            client.shutdownOutput();

            assertThat(new String(client.getInputStream().readAllBytes(), UTF_8))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void acceptsOtherSpellingsOfTheSameHost() throws Exception {
        assertThat(send(request("API.Example.COM.:443", "X: y"))).startsWith("HTTP/1.1 200");
        assertThat(Origin.header(origin.heads().getFirst(), "host")).isEqualTo(HOST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: api.example.com:22\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: user@api.example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: api.example.com, other.example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: api.example.com\r\nHost: api.example.com\r\n\r\n",
                "GET https://other.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
                "GET https://api.example.com/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: api.example.com:80443\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: [api.example.com]\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: api.example.com%2eevil.test\r\n\r\n",
                "GET api.example.com HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
                "GET * HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: api.example.com\r\nConnection: Transfer-Encoding\r\n\r\n",
                "GET http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: api.example.com\r\nConnection: host, content-length\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            })
    void d41_d42_d43_d48_refusesMalformedRequests(String request) throws Exception {
        assertThat(send(request)).startsWith("HTTP/1.1 400").contains("bad_request");
        assertThat(origin.heads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE / HTTP/1.1", "CONNECT api.example.com:443 HTTP/1.1"})
    void d49_d50_refusesMethodsThatEchoOrTunnel(String line) throws Exception {
        assertThat(send(line + "\r\nHost: " + HOST + "\r\n\r\n")).startsWith("HTTP/1.1 405");
        assertThat(origin.heads()).isEmpty();
    }

    @Test
    void d48_removesHopByHopHeadersBeforeTheSwap() throws Exception {
        var _ = get("Connection: authorization, X-Hop\r\nX-Hop: 1\r\nAuthorization: Bearer " + PLACEHOLDER
                + "\r\nProxy-Authorization: " + PLACEHOLDER + "\r\nTE: trailers\r\nUpgrade: h2c\r\nHTTP2-Settings: x");

        assertThat(origin.heads().getFirst())
                .doesNotContain(SECRET)
                .doesNotContain(PLACEHOLDER)
                .doesNotContainIgnoringCase("x-hop")
                .doesNotContainIgnoringCase("upgrade")
                .doesNotContainIgnoringCase("te:");
    }

    @Test
    void answers503WhileTheSecretIsGone() throws Exception {
        proxy.allow(2, Set.of(HOST), TestProxy.credential(Optional.empty(), HOST));

        assertThat(get("Authorization: Bearer " + PLACEHOLDER))
                .startsWith("HTTP/1.1 503")
                .contains("credential_unavailable");
        assertThat(get("Authorization: Bearer own-token")).startsWith("HTTP/1.1 200");
        assertThat(origin.heads()).hasSize(1);
    }

    @Test
    void d55_neverSendsTheSecretInClear() throws Exception {
        proxy.hosts.put(HOST, plain.address());
        try (var client = proxy.connect(proxy.dial(HOST, 80))) {
            var answer = TestProxy.talk(client, request(HOST, "Authorization: Bearer " + PLACEHOLDER));
            assertThat(answer).startsWith("HTTP/1.1 403").contains("credential_in_clear");
        }
        try (var client = proxy.connect(proxy.dial(HOST, 80))) {
            assertThat(TestProxy.talk(client, request(HOST, "X: y"))).startsWith("HTTP/1.1 200");
        }
        assertThat(plain.heads()).hasSize(1);
    }

    @Test
    void deniesPlainHttpWithAReason() throws Exception {
        try (var client = proxy.connect(proxy.dial("pypi.org", 80))) {
            assertThat(TestProxy.talk(client, "GET /simple?token=hidden HTTP/1.1\r\nHost: pypi.org\r\n\r\n"))
                    .startsWith("HTTP/1.1 403")
                    .contains("\"code\":\"host_not_allowed\"")
                    .contains("\"host\":\"pypi.org\"")
                    .contains("Retrying another way will not help");
        }
        assertThat(onlyRecord().lastPath()).isEqualTo("/simple");
    }

    @Test
    void deniesAnAllowedHostHeaderAtTheAddressOfAnother() throws Exception {
        try (var client = proxy.connect(proxy.dial("pypi.org", 80))) {
            assertThat(TestProxy.talk(client, request(HOST, "X: y")))
                    .startsWith("HTTP/1.1 403")
                    .contains("address_mismatch");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"expired", "wrong name", "unknown authority"})
    void g90_sendsNothingToAHostThatCannotProveItsName(String fault) throws Exception {
        var context = switch (fault) {
            case "expired" -> authority.server(HOST, Duration.ofDays(-1));
            case "wrong name" -> authority.server(OTHER, Duration.ofDays(1));
            default -> new TestAuthority().server(HOST, Duration.ofDays(1));
        };
        try (var impostor = new Origin(context)) {
            proxy.hosts.put(HOST, impostor.address());

            assertThat(get("Authorization: Bearer " + PLACEHOLDER))
                    .startsWith("HTTP/1.1 502")
                    .contains("upstream_unverified");
            assertThat(impostor.heads()).isEmpty();
        }
    }

    @Test
    void h95_passesEventsOnAtOnce() throws Exception {
        var go = new CountDownLatch(1);
        origin.handler((head, in, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".getBytes(UTF_8));
            for (var i = 0; i < 5; i++) {
                out.write(("data: " + System.nanoTime() + "\n\n").getBytes(UTF_8));
                out.flush();
                pause();
            }
            go.countDown();
            return false;
        });
        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream()
                    .write(request(HOST, "X: y")
                            .replace("Connection: close\r\n", "")
                            .getBytes(UTF_8));
            var worst = 0L;
            var lines = new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
            for (var seen = 0; seen < 5; ) {
                var line = lines.readLine();
                if (line.startsWith("data: ")) {
                    worst = Math.max(worst, System.nanoTime() - Long.parseLong(line.substring(6)));
                    seen++;
                }
            }
            assertThat(Duration.ofNanos(worst)).isLessThan(Duration.ofMillis(100));
        }
        assertThat(go.await(5, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void h98_streamsLargeUploadsWithFlatMemory(boolean chunked) throws Exception {
        var size = 64 << 20;
        var peak = new AtomicLong();
        origin.handler((head, in, out) -> {
            var received = chunked ? dechunk(in, peak) : count(in, size, peak);
            out.write(("HTTP/1.1 200 OK\r\nX-Received: " + received + "\r\nContent-Length: 0\r\n\r\n").getBytes(UTF_8));
            return true;
        });
        try (var client = proxy.terminated(HOST)) {
            var out = client.getOutputStream();
            out.write(("POST / HTTP/1.1\r\nHost: " + HOST + "\r\nAuthorization: Bearer " + PLACEHOLDER
                            + (chunked ? "\r\nTransfer-Encoding: chunked" : "\r\nContent-Length: " + size)
                            + "\r\nConnection: close\r\n\r\n")
                    .getBytes(UTF_8));
            var piece = new byte[1 << 20];
            for (var sent = 0; sent < size; sent += piece.length) {
                if (chunked) {
                    out.write("100000\r\n".getBytes(UTF_8));
                }
                out.write(piece);
                if (chunked) {
                    out.write("\r\n".getBytes(UTF_8));
                }
            }
            if (chunked) {
                out.write("0\r\n\r\n".getBytes(UTF_8));
            }
            out.flush();
            assertThat(new String(client.getInputStream().readAllBytes(), UTF_8))
                    .contains("X-Received: " + size);
        }
        assertThat(origin.heads().getFirst()).contains(SECRET);
        assertThat(peak.get()).isLessThan(32L << 20);
    }

    @Test
    void d51_relaysExpectContinue() throws Exception {
        origin.handler((head, in, out) -> {
            assertThat(head).containsIgnoringCase("expect: 100-continue");
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8));
            out.flush();
            var body = new String(in.readNBytes(5), UTF_8);
            out.write(("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + body).getBytes(UTF_8));
            return true;
        });
        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream()
                    .write(("POST / HTTP/1.1\r\nHost: " + HOST
                                    + "\r\nExpect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")
                            .getBytes(UTF_8));
            assertThat(new String(client.getInputStream().readNBytes(25), UTF_8))
                    .isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(TestProxy.talk(client, "hello"))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("hello\r\n0\r\n\r\n");
        }
    }

    @Test
    void h99_servesManyRequestsOnOneConnection() throws Exception {
        try (var client = proxy.terminated(HOST)) {
            for (var i = 0; i < 200; i++) {
                client.getOutputStream()
                        .write(("GET /" + i + " HTTP/1.1\r\nHost: " + HOST + "\r\nX-Key: " + PLACEHOLDER + "\r\n\r\n")
                                .getBytes(UTF_8));
                assertThat(readUntil(client.getInputStream(), "0\r\n\r\n")).startsWith("HTTP/1.1 200");
                assertThat(origin.heads().getLast()).startsWith("GET /" + i + " ");
            }
        }
        assertThat(origin.heads()).hasSize(200).allMatch(head -> head.contains(SECRET));
        assertThat(onlyRecord().requests()).isEqualTo(200);
    }

    @Test
    void g88_usesARotatedSecretOnTheNextRequestOfTheSameConnection() throws Exception {
        try (var client = proxy.terminated(HOST)) {
            var request = "GET / HTTP/1.1\r\nHost: " + HOST + "\r\nX-Key: " + PLACEHOLDER + "\r\n\r\n";
            client.getOutputStream().write(request.getBytes(UTF_8));
            var _ = readUntil(client.getInputStream(), "0\r\n\r\n");

            proxy.allow(2, Set.of(HOST), TestProxy.credential(Optional.of(SecretValue.of("sk-rotated")), HOST));

            client.getOutputStream().write(request.getBytes(UTF_8));
            assertThat(readUntil(client.getInputStream(), "0\r\n\r\n")).doesNotContain("sk-rotated");
        }
        assertThat(origin.heads().getLast()).contains("sk-rotated");
    }

    @Test
    void reachesAgainAHostThatClosedAnIdleConnection() throws Exception {
        origin.handler((head, in, out) -> {
            var _ = Origin.echo(head, in, out);
            return false;
        });
        try (var client = proxy.terminated(HOST)) {
            for (var i = 0; i < 3; i++) {
                client.getOutputStream()
                        .write(("GET /" + i + " HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n").getBytes(UTF_8));
                assertThat(readUntil(client.getInputStream(), "0\r\n\r\n")).startsWith("HTTP/1.1 200");
            }
        }
    }

    @Test
    void answersHeadAndEmptyAnswersWithoutABody() throws Exception {
        origin.handler((head, in, out) -> {
            out.write((head.startsWith("HEAD")
                            ? "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
                            : "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")
                    .getBytes(UTF_8));
            return true;
        });

        assertThat(send("HEAD / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200")
                .containsIgnoringCase("content-length: 1000")
                .endsWith("\r\n\r\n");
        assertThat(get("If-None-Match: x")).startsWith("HTTP/1.1 304").endsWith("\r\n\r\n");
    }

    @Test
    void breaksOffWhereTheHostDoes() throws Exception {
        origin.handler((head, in, out) -> {
            out.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000\r\n\r\nshort".getBytes(UTF_8));
            return false;
        });

        assertThat(catchThrowable(() -> get("X: y"))).isInstanceOf(IOException.class);
    }

    @Test
    void h97_passesWebSocketsThroughAfterTheSwap() throws Exception {
        origin.handler((head, in, out) -> {
            // The first frame comes in one write with the answer.
            out.write(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nfirst"
                            .getBytes(UTF_8));
            out.flush();
            out.write(in.readNBytes(5));
            out.flush();
            return false;
        });
        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream()
                    .write(("GET /ws HTTP/1.1\r\nHost: " + HOST
                                    + "\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket"
                                    + "\r\nSec-WebSocket-Key: k\r\nAuthorization: Bearer " + PLACEHOLDER + "\r\n\r\n")
                            .getBytes(UTF_8));
            assertThat(readUntil(client.getInputStream(), "first")).startsWith("HTTP/1.1 101");
            assertThat(TestProxy.talk(client, "hello")).isEqualTo("hello");
        }
        assertThat(origin.heads().getFirst()).contains(SECRET).containsIgnoringCase("connection: upgrade");
    }

    @Test
    void mapsThePlatformHostToTheGatewaysOnly() throws Exception {
        proxy.allow(2, Set.of("api.slate.internal"), TestProxy.credential("api.slate.internal"));
        try (var client = proxy.terminated("api.slate.internal")) {
            var answer = TestProxy.talk(
                    client,
                    "GET /v1/router/models HTTP/1.1\r\nHost: api.slate.internal\r\nAuthorization: Bearer " + PLACEHOLDER
                            + "\r\nX-Slate-Sandbox-Id: forged\r\nx-slate-proxy-proof: forged\r\nX-Forwarded-For: 1.2.3.4"
                            + "\r\nConnection: close\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 200");
        }
        assertThat(plain.heads().getFirst())
                .contains("Authorization: Bearer " + SECRET)
                .contains("x-slate-sandbox-id: " + TestProxy.SANDBOX)
                .contains("x-slate-proxy-proof: proof-of-proxy")
                .doesNotContain("forged")
                .doesNotContain("1.2.3.4");
        try (var client = proxy.terminated("api.slate.internal")) {
            assertThat(TestProxy.talk(client, request("api.slate.internal", "X: y")))
                    .startsWith("HTTP/1.1 403")
                    .contains("path_refused");
        }
        try (var client = proxy.connect(proxy.dial("api.slate.internal", 80))) {
            assertThat(TestProxy.talk(client, request("api.slate.internal", "X: y")))
                    .startsWith("HTTP/1.1 403");
        }
        assertThat(plain.heads()).hasSize(1);
    }

    private static boolean echoOnce(String head, InputStream in, OutputStream out) throws IOException {
        var _ = Origin.echo(head, in, out);
        return false;
    }

    private String get(String headers) throws Exception {
        return send(request(HOST, headers));
    }

    private String send(String text) throws Exception {
        try (var client = proxy.terminated(HOST)) {
            return TestProxy.talk(client, text);
        }
    }

    private static String request(String host, String headers) {
        return "GET /path?q=1 HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\nConnection: close\r\n\r\n";
    }

    private ConnectionRecord onlyRecord() {
        await().until(() -> proxy.records().size() == 1);
        return proxy.records().getFirst();
    }

    private static String readUntil(InputStream in, String end) throws IOException {
        var text = new StringBuilder();
        while (!text.toString().endsWith(end)) {
            var next = in.read();
            if (next < 0) {
                return text + " [end]";
            }
            text.append((char) next);
        }
        return text.toString();
    }

    private static long count(InputStream in, long size, AtomicLong peak) throws IOException {
        var buffer = new byte[1 << 16];
        var received = 0L;
        while (received < size) {
            var read = in.read(buffer, 0, (int) Math.min(buffer.length, size - received));
            received += read;
            if ((received & 0xfffff) < read) {
                // A slow reader: whoever buffers, buffers now.
                peak.accumulateAndGet(directMemory(), Math::max);
                pause();
            }
        }
        return received;
    }

    private static long dechunk(InputStream in, AtomicLong peak) throws IOException {
        var received = 0L;
        while (true) {
            var size = Long.parseLong(readUntil(in, "\r\n").strip(), 16);
            received += count(in, size, peak);
            var _ = readUntil(in, "\r\n");
            if (size == 0) {
                return received;
            }
        }
    }

    private static long directMemory() {
        return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    private static void pause() {
        try {
            Thread.sleep(Duration.ofMillis(5));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(ISO_8859_1));
    }
}
