package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.audit.ConnectionRecord;
import dev.slate.egress.host.HostName;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.Sandbox;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 to hosts with a credential. The numbers are those of the attack list in docs/security/threat-model.md. */
class Http2IT {

    private static final String HOST = "api.example.com";
    private static final String SECRET = TestProxy.SECRET;
    private static final String PLACEHOLDER = TestProxy.PLACEHOLDER;

    @TempDir
    Path folder;

    private TestAuthority authority;
    private Http2Origin origin;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        origin = new Http2Origin(authority.server(HOST, Duration.ofDays(1)));
        proxy = new TestProxy(folder, authority, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        proxy.hosts.put(HOST, origin.address());
        proxy.allow(1, Set.of(HOST, "other.example.com"), TestProxy.credential(HOST));
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, ISO_8859_1)).doesNotContain(SECRET);
            }
        }
    }

    @Test
    void swapsThePlaceholderAndScrubsTheEcho() throws Exception {
        try (var client = client()) {
            var answer = client.send(get("/echo?q=1").add("authorization", "Bearer " + PLACEHOLDER));

            assertThat(client.protocol()).isEqualTo("h2");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.head().get("x-echo")).hasToString("Bearer " + PLACEHOLDER);
            assertThat(answer.text()).contains("authorization: Bearer " + PLACEHOLDER);
            assertThat(answer.head().contains("alt-svc")).isFalse();
        }
        assertThat(origin.heads().getFirst().get("authorization")).hasToString("Bearer " + SECRET);
        assertThat(origin.heads().getFirst().authority()).hasToString(HOST);
        assertThat(onlyRecord().mode()).isEqualTo("terminate");
        assertThat(onlyRecord().credentials()).containsExactly("KEY");
        assertThat(onlyRecord().lastPath()).isEqualTo("/echo");
    }

    @Test
    void speaksHttp11WhereTheHostKnowsNothingElse() throws Exception {
        try (var old = new Origin(authority.server(HOST, Duration.ofDays(1)))) {
            proxy.hosts.put(HOST, old.address());
            try (var client = proxy.tls(proxy.dial(HOST, 443), HOST, proxy.platformAuthority(), "h2", "http/1.1")) {
                assertThat(client.getApplicationProtocol()).isEqualTo("http/1.1");
                assertThat(TestProxy.talk(
                                client,
                                "GET / HTTP/1.1\r\nHost: " + HOST + "\r\nX-Key: " + PLACEHOLDER
                                        + "\r\nConnection: close\r\n\r\n"))
                        .startsWith("HTTP/1.1 200");
            }
            assertThat(old.heads().getFirst()).contains(SECRET);
        }
    }

    @Test
    void saysOverHttp11WhyAHostCannotBeReached() throws Exception {
        try (var impostor = new Http2Origin(new TestAuthority().server(HOST, Duration.ofDays(1)))) {
            proxy.hosts.put(HOST, impostor.address());
            try (var client = proxy.tls(proxy.dial(HOST, 443), HOST, proxy.platformAuthority(), "h2", "http/1.1")) {
                assertThat(TestProxy.talk(client, "GET / HTTP/1.1\r\nHost: " + HOST + "\r\nConnection: close\r\n\r\n"))
                        .startsWith("HTTP/1.1 502")
                        .contains("upstream_unverified");
            }
            assertThat(impostor.heads()).isEmpty();
        }
    }

    @Test
    void f72_anInjectedHeaderIsNeverIndexed() throws Exception {
        try (var client = client()) {
            for (var i = 0; i < 2; i++) {
                client.send(get("/echo").add("x-key", PLACEHOLDER).add("x-mine", "indexed-text"));
            }
        }

        var bytes = new String(origin.received(), ISO_8859_1);
        assertThat(bytes.split(encoded("x-key", SECRET, true), -1)).hasSize(3);
        assertThat(bytes).doesNotContain(encoded("x-key", SECRET, false));
        assertThat(bytes.split(encoded("x-mine", "indexed-text", false), -1)).hasSize(2);
    }

    private static String encoded(String name, String value, boolean never) throws Exception {
        var out = Unpooled.buffer();
        new DefaultHttp2HeadersEncoder((n, v) -> never)
                .encodeHeaders(1, new DefaultHttp2Headers(false).add(name, value), out);
        return out.toString(ISO_8859_1);
    }

    @Test
    void c34_anotherAuthorityThanTheNameOfTheHelloIsMisdirected() throws Exception {
        try (var client = client()) {
            var answer = client.send(Http2Client.get("other.example.com", "/").add("x-key", PLACEHOLDER));
            assertThat(answer.status()).isEqualTo(421);
            assertThat(answer.text()).contains("wrong_host");

            assertThat(client.send(get("/echo")).status()).isEqualTo(200);
        }
        assertThat(origin.heads()).hasSize(1);
    }

    @Test
    void aRefusalReachesAClientThatIsStillSending() throws Exception {
        try (var client = client()) {
            var answer = client.open(Http2Client.post("other.example.com", "/"), false)
                    .answer();

            assertThat(answer.status()).isEqualTo(421);
            assertThat(answer.text()).contains("wrong_host");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "transfer-encoding=chunked",
                "connection=close",
                "keep-alive=1",
                "proxy-connection=x",
                "upgrade=websocket",
                "te=gzip",
                "Upper=case",
                "na me=x",
                "na:me=x",
                "x=a\rb",
                "x=a\nb",
                "x=a\0b",
                "na\r\nme=x",
                "content-length=+5",
                "content-length=5, 5",
                "host=other.example.com",
                ":protocol=websocket",
                ":unknown=x",
                ":path=/two",
                ":path!=relative",
                ":path!=/a b",
                ":path!=/a\r\nX-Injected: 1",
                ":path!=/a#b",
                ":scheme!=http",
                ":authority!=",
                ":method!=G T",
            })
    void f66_whatHttp11WouldReadInAnotherWayIsAStreamError(String header) throws Exception {
        var name = header.substring(0, header.indexOf('=', 1)).replace("!", "");
        var value = header.substring(header.indexOf('=', 1) + 1);
        var headers = get("/echo");
        if (header.contains("!=")) {
            headers.remove(name);
        }
        headers.add(name, value);
        try (var client = client()) {
            assertThat(client.send(headers).reset()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        }
        assertThat(origin.heads()).isEmpty();
    }

    @Test
    void f66_aLengthThatDisagreesWithTheBodyIsAStreamError() throws Exception {
        try (var client = client()) {
            var stream = client.open(Http2Client.post(HOST, "/upload").add("content-length", "5"), false);
            stream.data(new byte[10], true);

            assertThat(stream.answer().reset()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONNECT", "TRACE"})
    void d49_d50_methodsThatEchoOrTunnelAreRefused(String method) throws Exception {
        var headers = get("/");
        headers.method(method);
        if (method.equals("CONNECT")) {
            headers.remove(":path");
            headers.remove(":scheme");
        }
        try (var client = client()) {
            assertThat(client.send(headers).status()).isEqualTo(405);
        }
        assertThat(origin.heads()).isEmpty();
    }

    @Test
    void f67_64MebibytesGoUpInFlatMemory() throws Exception {
        var peak = 0L;
        try (var client = client()) {
            var stream = client.open(Http2Client.post(HOST, "/upload").add("x-key", PLACEHOLDER), false);
            for (var i = 0; i < 1024; i++) {
                stream.data(new byte[64 * 1024], i == 1023);
                peak = Math.max(peak, directMemory());
            }
            assertThat(stream.answer().head().get("x-received")).hasToString(Integer.toString(64 << 20));
        }
        assertThat(origin.heads().getFirst().get("x-key")).hasToString(SECRET);
        assertThat(peak).isLessThan(48L << 20);
    }

    @Test
    void f67_64MebibytesComeDown() throws Exception {
        try (var client = client()) {
            assertThat(client.send(get("/download/" + (64 << 20))).text()).hasSize(64 << 20);
        }
    }

    @Test
    void f67_aReaderThatStopsHoldsUpNobodyElse() throws Exception {
        try (var client = client()) {
            var stopped = client.open(get("/download/" + (64 << 20)), true);
            stopped.channel().config().setAutoRead(false);
            var before = directMemory();
            for (var i = 0; i < 20; i++) {
                assertThat(client.send(get("/echo/" + i)).status()).isEqualTo(200);
            }
            assertThat(directMemory() - before).isLessThan(16L << 20);
            stopped.channel().config().setAutoRead(true);
            assertThat(stopped.answer().text()).hasSize(64 << 20);
        }
    }

    @Test
    void f70_grpcPassesInBothDirectionsAtOnce() throws Exception {
        try (var client = client()) {
            var stream = client.open(
                    Http2Client.post(HOST, "/bidi")
                            .add("content-type", "application/grpc")
                            .add("te", "trailers")
                            .add("authorization", "Bearer " + PLACEHOLDER),
                    false);
            assertThat(((Http2Headers) stream.next()).status()).hasToString("200");
            for (var i = 0; i < 5; i++) {
                stream.data(("message " + i).getBytes(ISO_8859_1), false);
                assertThat((byte[]) stream.next()).asString().isEqualTo("message " + i);
            }
            stream.trailers(new DefaultHttp2Headers(false).add("x-end", "1"));

            var answer = stream.answer();
            assertThat(answer.head().get("grpc-status")).hasToString("0");
            assertThat(answer.head().get("x-secret")).hasToString(PLACEHOLDER);
        }
        assertThat(origin.heads().getFirst().get("te")).hasToString("trailers");
        assertThat(origin.heads().getLast().get("x-end")).hasToString("1");
    }

    @Test
    void f70_aGrpcAnswerOfTrailersOnlyPasses() throws Exception {
        try (var client = client()) {
            var answer = client.send(Http2Client.post(HOST, "/only").add("content-type", "application/grpc"));

            assertThat(answer.head().get("grpc-status")).hasToString("7");
        }
    }

    @Test
    void d45_trailersOfOtherRequestsEndAtTheProxyAndDangerousOnesNever() throws Exception {
        try (var client = client()) {
            var plain = client.open(Http2Client.post(HOST, "/echo"), false);
            plain.data(new byte[5], false);
            plain.trailers(new DefaultHttp2Headers(false).add("x-end", PLACEHOLDER));
            assertThat(plain.answer().status()).isEqualTo(200);

            var dangerous = client.open(Http2Client.post(HOST, "/bidi").add("content-type", "application/grpc"), false);
            dangerous.trailers(new DefaultHttp2Headers(false).add("authorization", PLACEHOLDER));
            assertThat(dangerous.answer().reset()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        }
        assertThat(origin.heads()).noneMatch(head -> head.contains("x-end"));
    }

    @Test
    void interimAnswersPass() throws Exception {
        try (var client = client()) {
            var answer = client.send(get("/interim").add("expect", "100-continue"));

            assertThat(answer.interim()).extracting(h -> h.status().toString()).containsExactly("103", "100");
            assertThat(answer.status()).isEqualTo(200);
        }
    }

    @Test
    void d51_anEarlyAnswerIsDelivered() throws Exception {
        try (var client = client()) {
            var stream = client.open(Http2Client.post(HOST, "/early"), false);

            var answer = stream.answer();

            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text()).isEqualTo("too large");
        }
    }

    @Test
    void f69_theEndOfAStreamAtTheHostIsThatOfTheClients() throws Exception {
        try (var client = client()) {
            var waiting = client.open(get("/wait"), true);

            assertThat(client.send(get("/reset")).reset()).isEqualTo(Http2Error.INADEQUATE_SECURITY.code());

            await().until(() -> origin.stream("/wait") != null);
            assertThat(waiting.channel().isActive()).isTrue();
        }
    }

    @Test
    void f69_aHostThatGoesAwayIsReachedAgainOnANewConnection() throws Exception {
        try (var client = client()) {
            assertThat(client.send(get("/goaway")).status()).isEqualTo(200);
            assertThat(client.send(get("/echo")).status()).isEqualTo(200);
            assertThat(origin.connections()).isEqualTo(2);

            var lost = client.send(get("/drop"));
            assertThat(lost.status()).isEqualTo(502);
            assertThat(lost.text()).contains("upstream_failed");

            assertThat(client.send(get("/echo")).status()).isEqualTo(200);
            assertThat(origin.connections()).isEqualTo(3);
        }
    }

    @Test
    void h95_aClientThatCancelsIsCancelledAtTheHostWithinASecond() throws Exception {
        try (var client = client()) {
            var stream = client.open(get("/wait"), true);
            await().until(() -> origin.stream("/wait") != null);

            stream.reset();

            await().atMost(Duration.ofSeconds(1)).until(() -> origin.stream("/wait") == null);
        }
    }

    @Test
    void h95_aClientThatGoesAwayIsCancelledAtTheHostWithinASecond() throws Exception {
        var client = client();
        client.open(get("/wait"), true);
        await().until(() -> origin.stream("/wait") != null);

        client.close();

        await().atMost(Duration.ofSeconds(1)).until(() -> origin.stream("/wait") == null);
    }

    @Test
    void h95_eventsPassAtOnceAndAreScrubbed() throws Exception {
        try (var client = client()) {
            var stream = client.open(get("/wait").add("x-key", PLACEHOLDER), true);
            await().until(() -> origin.stream("/wait") != null);
            var host = Objects.requireNonNull(origin.stream("/wait"));
            host.writeAndFlush(new DefaultHttp2HeadersFrame(Http2Origin.head("content-type", "text/event-stream")))
                    .sync();
            assertThat(((Http2Headers) stream.next()).status()).hasToString("200");
            for (var i = 0; i < 5; i++) {
                var sent = System.nanoTime();
                host.writeAndFlush(Http2Origin.data("data: " + i + "\n\n", false))
                        .sync();
                assertThat((byte[]) stream.next()).asString(ISO_8859_1).isEqualTo("data: " + i + "\n\n");
                assertThat(Duration.ofNanos(System.nanoTime() - sent)).isLessThan(Duration.ofMillis(200));
            }
            host.writeAndFlush(Http2Origin.data("x " + SECRET.substring(0, 8), false))
                    .sync();
            host.writeAndFlush(Http2Origin.data(SECRET.substring(8) + " y", true))
                    .sync();
            assertThat(stream.answer().text()).isEqualTo("x " + PLACEHOLDER + " y");
        }
    }

    @Test
    void g88_aRotatedSecretCountsForTheNextStreamAndARevokedOneFor503() throws Exception {
        try (var client = client()) {
            client.send(get("/echo").add("x-key", PLACEHOLDER));
            proxy.allow(2, Set.of(HOST), TestProxy.credential(Optional.of(SecretValue.of("sk-rotated")), HOST));
            var answer = client.send(get("/echo").add("x-key", PLACEHOLDER));
            assertThat(answer.text()).doesNotContain("sk-rotated");
            assertThat(origin.heads().getLast().get("x-key")).hasToString("sk-rotated");

            proxy.allow(3, Set.of(HOST), TestProxy.credential(Optional.empty(), HOST));

            assertThat(client.send(get("/echo").add("x-key", PLACEHOLDER)).status())
                    .isEqualTo(503);
        }
        assertThat(origin.heads()).hasSize(2);
    }

    @Test
    void e7_aNewPolicyCutsStreamsThatItDoesNotAllow() throws Exception {
        try (var client = client()) {
            client.open(get("/wait"), true);
            await().until(() -> origin.stream("/wait") != null);

            proxy.allow(2, Set.of("other.example.com"));

            assertThat(proxy.proxy.plane().connections().count(TestProxy.SANDBOX))
                    .isZero();
            await().atMost(Duration.ofSeconds(1)).until(() -> origin.stream("/wait") == null);
        }
        assertThat(onlyRecord().reason()).isEqualTo("policy_changed");
    }

    @Test
    void g92_connectionsToHostsServeTheNextClientOfTheSameSandboxAndNoOther() throws Exception {
        for (var i = 0; i < 12; i++) {
            try (var client = client()) {
                assertThat(client.send(get("/echo")).status()).isEqualTo(200);
            }
            var closed = i + 1;
            await().until(() -> proxy.records().size() == closed);
        }
        assertThat(origin.connections()).isLessThan(12);

        var before = origin.connections();
        proxy.proxy
                .control()
                .put(new Sandbox(
                        "sandbox-b",
                        (Inet4Address) InetAddress.ofLiteral("127.0.0.2"),
                        1,
                        NetworkPolicy.openInternet(),
                        List.of(TestProxy.credential(HOST))));
        var address = proxy.proxy.plane().addresses().addressOf("sandbox-b", HostName.parse(HOST));
        assertThat(address)
                .isEqualTo(proxy.proxy.plane().addresses().addressOf(TestProxy.SANDBOX, HostName.parse(HOST)));
        try (var other = new Http2Client(
                InetAddress.ofLiteral("127.0.0.2"), proxy.dial(HOST, 443), "", HOST, proxy.platformAuthority())) {
            assertThat(other.send(get("/echo")).status()).isEqualTo(200);
        }
        assertThat(origin.connections()).isEqualTo(before + 1);
    }

    private Http2Client client() throws Exception {
        return Http2Client.of(proxy, HOST);
    }

    private static Http2Headers get(String path) {
        return Http2Client.get(HOST, path);
    }

    private ConnectionRecord onlyRecord() {
        await().until(() -> proxy.records().size() == 1);
        return proxy.records().getFirst();
    }

    private static long directMemory() {
        return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }
}
