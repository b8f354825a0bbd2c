package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.egress.audit.ConnectionRecord;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.policy.Cidr;
import dev.slate.egress.policy.HostEntry;
import dev.slate.egress.policy.NamedMatch;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.RequestRule;
import dev.slate.egress.policy.Route;
import dev.slate.egress.policy.SetHeader;
import dev.slate.egress.policy.TextMatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What rules, routes, denied ranges and observing do to connections, and what a changed policy does to open ones. */
class PolicyIT {

    private static final String HOST = "api.example.com";
    private static final String OTHER = "other.example.com";

    @TempDir
    Path folder;

    private TestAuthority authority;
    private Origin origin;
    private Origin other;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        origin = new Origin(authority.server(HOST, Duration.ofDays(1)));
        other = new Origin(authority.server(OTHER, Duration.ofDays(1)));
        proxy = new TestProxy(folder, authority, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        proxy.hosts.put(HOST, origin.address());
        proxy.hosts.put(OTHER, other.address());
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
        other.close();
    }

    @Test
    void passesOnlyRequestsThatARuleMatches() throws Exception {
        proxy.put(1, policy(false, ruled(HOST, rule("GET", "/v1/"))));

        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "GET /v1/models", "")).startsWith("HTTP/1.1 200");
            assertThat(TestProxy.talk(client, "DELETE /v1/models HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 403")
                    .contains("\"code\":\"request_not_allowed\"")
                    .contains("none of 1 rules of " + HOST);
        }

        assertThat(origin.heads()).hasSize(1);
        var entry = onlyRecord();
        assertThat(entry.mode()).isEqualTo("terminate");
        assertThat(entry.decision()).isEqualTo("denied");
        assertThat(entry.reason()).isEqualTo("request_not_allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/../admin", "/v1/%2e%2e/admin", "/v1//x", "/v1/%252e", "/v1/a%2fb", "/v1/a;b"})
    void refusesPathsThatTheHostMayReadInAnotherWay(String path) throws Exception {
        proxy.put(1, policy(false, ruled(HOST, rule("GET", "/v1/"))));

        try (var client = proxy.terminated(HOST)) {
            assertThat(TestProxy.talk(client, "GET " + path + " HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 403")
                    .contains("request_ambiguous");
        }
        assertThat(origin.heads()).isEmpty();
    }

    @Test
    void aHeaderThatEndsAtTheProxyFulfilsNoCondition() throws Exception {
        var rule = new RequestRule(
                Set.of(),
                Optional.empty(),
                List.of(),
                List.of(new NamedMatch("X-Dry-Run", new TextMatch.Exact("true"))),
                List.of());
        proxy.put(1, policy(false, ruled(HOST, rule)));

        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "GET /", "X-Dry-Run: true\r\n")).startsWith("HTTP/1.1 200");
            assertThat(TestProxy.talk(
                            client,
                            "GET / HTTP/1.1\r\nHost: " + HOST + "\r\nX-Dry-Run: true\r\nConnection: x-dry-run\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
        }
        assertThat(origin.heads()).hasSize(1);
    }

    @Test
    void rulesHoldForRequestsOverHttp2AndTheirHeadersAreSetThere() throws Exception {
        try (var http2 = new Http2Origin(authority.server(HOST, Duration.ofDays(1)))) {
            proxy.hosts.put(HOST, http2.address());
            var rule = new RequestRule(
                    Set.of("GET"),
                    Optional.of(new TextMatch.Prefix("/v1/")),
                    List.of(),
                    List.of(),
                    List.of(new SetHeader("Authorization", "Bearer " + TestProxy.PLACEHOLDER, "")));
            proxy.put(1, policy(false, ruled(HOST, rule)), TestProxy.credential(HOST));

            try (var client = Http2Client.of(proxy, HOST)) {
                assertThat(client.send(Http2Client.get(HOST, "/v1/x").add("authorization", "mine"))
                                .status())
                        .isEqualTo(200);
                var refused = client.send(Http2Client.get(HOST, "/v2/x"));
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.text()).contains("request_not_allowed");
                assertThat(client.send(Http2Client.get(HOST, "/v1/../v2")).text())
                        .contains("request_ambiguous");
            }

            assertThat(http2.heads()).hasSize(1);
            assertThat(http2.heads().getFirst().getAll("authorization"))
                    .extracting(CharSequence::toString)
                    .containsExactly("Bearer " + TestProxy.SECRET);
        }
    }

    @Test
    void setsHeadersInPlaceOfTheClientsAndPutsTheSecretIn() throws Exception {
        var rule = new RequestRule(
                Set.of(),
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(
                        new SetHeader("Authorization", "Bearer " + TestProxy.PLACEHOLDER, ""),
                        new SetHeader("X-Team", "blue", "")));
        proxy.put(1, policy(false, ruled(HOST, rule)), TestProxy.credential(HOST));

        try (var client = proxy.terminated(HOST)) {
            var answer = ask(client, "GET /", "authorization: Bearer mine\r\nX-Team: red\r\nx-team: green\r\n");

            assertThat(answer).doesNotContain(TestProxy.SECRET);
        }
        assertThat(origin.heads().getFirst())
                .contains("Authorization: Bearer " + TestProxy.SECRET)
                .contains("X-Team: blue")
                .doesNotContain("mine", "red", "green");
        assertThat(onlyRecord().credentials()).containsExactly("KEY");
    }

    @Test
    void looksIntoAHostWithoutACredentialWhereThePolicySaysSo() throws Exception {
        proxy.put(1, policy(false, new HostEntry(HostPattern.parse(HOST), List.of(), true)));

        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "GET /seen", "")).startsWith("HTTP/1.1 200");
        }
        var entry = onlyRecord();
        assertThat(entry.mode()).isEqualTo("terminate");
        assertThat(entry.lastPath()).isEqualTo("/seen");
    }

    @Test
    void observingLetsThroughWhatItWouldRefuseAndSaysSo() throws Exception {
        proxy.put(
                1,
                new NetworkPolicy(
                        false,
                        NetworkPolicy.entries(List.of(ruled(HOST, rule("GET", "/v1/")))),
                        List.of(),
                        List.of(),
                        true));

        try (var client = proxy.tls(OTHER, authority.certificate())) {
            assertThat(ask(client, "GET /", "")).startsWith("HTTP/1.1 200");
        }
        assertThat(onlyRecord().wouldDeny()).isEqualTo("host_not_allowed");
        assertThat(onlyRecord().decision()).isEqualTo("allowed");
        assertThat(onlyRecord().mode()).isEqualTo("splice");
        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "DELETE /", "")).startsWith("HTTP/1.1 200");
        }
        await().until(() -> proxy.records().size() == 2);
        assertThat(proxy.records().getLast().wouldDeny()).isEqualTo("request_not_allowed");
    }

    @Test
    void observingDoesNotRelaxDeniedRangesOrCredentials() throws Exception {
        proxy.put(
                1,
                new NetworkPolicy(false, NetworkPolicy.entries(List.of(plain(HOST))), List.of(), loopback(), true),
                TestProxy.credential(HOST));

        assertReset(proxy.dial(OTHER, 443), ClientHelloTest.hello(OTHER));

        assertThat(onlyRecord().reason()).isEqualTo("address_denied");
        assertThat(onlyRecord().rule()).isEqualTo("127.0.0.1 is in 127.0.0.0/8, which the policy denies");
        proxy.put(
                2,
                new NetworkPolicy(false, NetworkPolicy.entries(List.of(plain(HOST))), List.of(), List.of(), true),
                TestProxy.credential(HOST));
        try (var client = proxy.tls(OTHER, authority.certificate())) {
            assertThat(ask(client, "GET /", "Authorization: " + TestProxy.PLACEHOLDER + "\r\n"))
                    .doesNotContain(TestProxy.SECRET);
        }
        assertThat(other.heads().getFirst()).contains(TestProxy.PLACEHOLDER).doesNotContain(TestProxy.SECRET);
    }

    @Test
    void aRouteLeadsToAddressesAndNotToNames() throws Exception {
        var route = new Route(Cidr.parse("93.20.0.0/16"), List.of());
        proxy.put(
                1,
                new NetworkPolicy(
                        false, NetworkPolicy.entries(List.of(plain(HOST))), List.of(route), List.of(), false));

        assertReset(proxy.dialLiteral(20, 1, 2, 443), ClientHelloTest.hello(HOST));
        assertReset(proxy.dialLiteral(20, 1, 2, 443), ClientHelloTest.hello(OTHER));

        await().until(() -> proxy.records().size() == 2);
        assertThat(proxy.records())
                .extracting(ConnectionRecord::reason)
                .containsExactly("address_mismatch", "host_not_allowed");
    }

    @Test
    void cutsTheDownloadOfAHostThatIsNoLongerAllowedAndNoOther() throws Exception {
        proxy.allow(1, Set.of(HOST, OTHER));
        origin.handler(PolicyIT::slowly);
        other.handler(PolicyIT::slowly);

        try (var cut = proxy.tls(HOST, authority.certificate());
                var kept = proxy.tls(OTHER, authority.certificate())) {
            start(cut, HOST);
            start(kept, OTHER);

            var begin = System.nanoTime();
            proxy.allow(2, Set.of(OTHER, "new.example.com"));

            assertThatThrownBy(() -> cut.getInputStream().readAllBytes()).isInstanceOf(IOException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
            assertThat(kept.getInputStream().readNBytes(20)).hasSize(20);
        }
    }

    @Test
    void cutsAWebSocketWhoseHostIsNoLongerAllowed() throws Exception {
        proxy.put(1, policy(false, new HostEntry(HostPattern.parse(HOST), List.of(), true)));
        origin.handler((head, in, out) -> {
            out.write(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nfirst"
                            .getBytes(ISO_8859_1));
            out.flush();
            return in.read() >= 0;
        });

        try (var client = proxy.terminated(HOST)) {
            client.getOutputStream()
                    .write(("GET /ws HTTP/1.1\r\nHost: " + HOST
                                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                            .getBytes(ISO_8859_1));
            var in = client.getInputStream();
            var seen = new StringBuilder();
            while (!seen.toString().endsWith("first")) {
                seen.append((char) in.read());
            }

            proxy.allow(2, Set.of(OTHER));

            assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class);
        }
        assertThat(onlyRecord().reason()).isEqualTo("policy_changed");
    }

    @Test
    void cutsAConnectionToAnAddressThatIsDeniedFromNowOn() throws Exception {
        proxy.allow(1, Set.of(HOST));
        origin.handler(PolicyIT::slowly);

        try (var client = proxy.tls(HOST, authority.certificate())) {
            start(client, HOST);

            proxy.put(
                    2,
                    new NetworkPolicy(
                            false, NetworkPolicy.entries(List.of(plain(HOST))), List.of(), loopback(), false));

            assertThatThrownBy(() -> client.getInputStream().readAllBytes()).isInstanceOf(IOException.class);
        }
        assertThat(onlyRecord().reason()).isEqualTo("policy_changed");
    }

    @Test
    void aRuleThatIsAddedHoldsForTheNextRequestOfAnOpenConnection() throws Exception {
        proxy.put(1, policy(false, ruled(HOST, rule("GET", "/"))));

        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "GET /admin", "")).startsWith("HTTP/1.1 200");

            proxy.put(2, policy(false, ruled(HOST, rule("GET", "/v1/"))));

            assertThat(TestProxy.talk(client, "GET /admin HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
        }
    }

    @Test
    void aConnectionOutlivesTheRulesOfItsHost() throws Exception {
        proxy.put(1, policy(false, ruled(HOST, rule("GET", "/v1/"))));

        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "GET /v1/x", "")).startsWith("HTTP/1.1 200");

            proxy.put(2, policy(false, plain(HOST)));

            assertThat(ask(client, "GET /admin", "")).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void whatIsAddedToAPolicyThatAllowedNothingWorksAtOnce() throws Exception {
        proxy.allow(1, Set.of());
        assertReset(proxy.dial(HOST, 443), ClientHelloTest.hello(HOST));

        proxy.put(2, policy(false, plain(HOST)), TestProxy.credential(HOST));

        try (var client = proxy.terminated(HOST)) {
            assertThat(ask(client, "GET /", "X-Key: " + TestProxy.PLACEHOLDER + "\r\n"))
                    .startsWith("HTTP/1.1 200");
        }
        assertThat(origin.heads().getFirst()).contains(TestProxy.SECRET);
    }

    private static void start(Socket client, String host) throws IOException {
        client.getOutputStream().write(("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(ISO_8859_1));
        assertThat(client.getInputStream().readNBytes(60)).hasSize(60);
    }

    private static boolean slowly(String head, java.io.InputStream in, java.io.OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".getBytes(ISO_8859_1));
        for (var i = 0; i < 100_000; i++) {
            out.write("0123456789".getBytes(ISO_8859_1));
            out.flush();
            try {
                Thread.sleep(20);
            } catch (InterruptedException _) {
                return false;
            }
        }
        return false;
    }

    /** Sends a request and reads its answer, whose body is as long as it says, and keeps the connection. */
    private static String ask(Socket client, String line, String headers) throws IOException {
        client.getOutputStream()
                .write((line + " HTTP/1.1\r\nHost: " + HOST + "\r\n" + headers + "\r\n").getBytes(ISO_8859_1));
        var in = client.getInputStream();
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            var next = in.read();
            assertThat(next).as(head.toString()).isNotNegative();
            head.append((char) next);
        }
        if (head.toString().toLowerCase(java.util.Locale.ROOT).contains("transfer-encoding")) {
            while (head.indexOf("\r\n0\r\n") < 0) {
                head.append((char) in.read());
            }
            return head.append(new String(in.readNBytes(2), ISO_8859_1)).toString();
        }
        var length = Integer.parseInt(Origin.header(head.toString(), "content-length"));
        return head.append(new String(in.readNBytes(length), ISO_8859_1)).toString();
    }

    private void assertReset(InetSocketAddress address, byte[] hello) throws IOException {
        try (var client = proxy.connect(address)) {
            client.getOutputStream().write(hello);
            assertThatThrownBy(() -> client.getInputStream().read()).hasMessageContaining("reset");
        }
    }

    private ConnectionRecord onlyRecord() {
        await().until(() -> proxy.records().size() == 1);
        return proxy.records().getFirst();
    }

    private static List<Cidr> loopback() {
        return List.of(Cidr.parse("127.0.0.0/8"));
    }

    private static NetworkPolicy policy(boolean open, HostEntry... entries) {
        return new NetworkPolicy(open, NetworkPolicy.entries(List.of(entries)), List.of(), List.of(), false);
    }

    private static HostEntry plain(String host) {
        return HostEntry.plain(HostPattern.parse(host));
    }

    private static HostEntry ruled(String host, RequestRule... rules) {
        return new HostEntry(HostPattern.parse(host), List.of(rules), false);
    }

    private static RequestRule rule(String method, String pathPrefix) {
        return new RequestRule(
                Stream.of(method).collect(java.util.stream.Collectors.toSet()),
                Optional.of(new TextMatch.Prefix(pathPrefix)),
                List.of(),
                List.of(),
                List.of());
    }
}
