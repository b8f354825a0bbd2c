package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.Placeholder;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.policy.HostEntry;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.RequestRule;
import dev.slate.egress.policy.Sandbox;
import dev.slate.egress.policy.SetHeader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies that change under load, and many at once: every request is decided on exactly one of them. */
class ConsistencyIT {

    private static final String HOST = "api.example.com";

    @TempDir
    Path folder;

    private TestAuthority authority;
    private Origin origin;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        origin = new Origin(authority.server(HOST, Duration.ofDays(1)));
        proxy = new TestProxy(folder, authority, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        proxy.hosts.put(HOST, origin.address());
        origin.handler((head, in, out) -> {
            out.write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(ISO_8859_1));
            out.flush();
            return true;
        });
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        origin.close();
    }

    @Test
    void j115_noRequestSeesARuleOfOnePolicyAndASecretOfAnother() throws Exception {
        var generation = new AtomicLong(1);
        proxy.proxy.control().put(sandbox(TestProxy.SANDBOX, 1, generation.get()));
        var over = new AtomicBoolean();
        var updates = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                proxy.proxy.control().put(sandbox(TestProxy.SANDBOX, 1, generation.incrementAndGet()));
            }
        });

        try (var client = proxy.terminated(HOST)) {
            for (var i = 0; i < 500; i++) {
                ask(client);
            }
        } finally {
            over.set(true);
            updates.join();
        }

        assertThat(generation.get()).isGreaterThan(500);
        assertThat(origin.heads())
                .hasSize(500)
                .allSatisfy(head -> assertThat(Origin.header(head, "x-key"))
                        .isEqualTo("value-" + Origin.header(head, "x-generation")));
        assertThat(origin.heads().stream()
                        .map(head -> Origin.header(head, "x-generation"))
                        .distinct())
                .hasSizeGreaterThan(10);
    }

    @Test
    void j119_manySandboxesWithTheSameHostDoNotMix() throws Exception {
        var sandboxes = IntStream.rangeClosed(2, 31).boxed().toList();
        sandboxes.forEach(last -> proxy.proxy.control().put(sandbox("sandbox-" + last, last, last)));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var clients = sandboxes.stream()
                    .<Callable<Void>>map(last -> () -> {
                        for (var i = 0; i < 10; i++) {
                            use(last);
                        }
                        return null;
                    })
                    .toList();
            for (var client : threads.invokeAll(clients)) {
                client.get();
            }
        }

        assertThat(origin.heads())
                .hasSize(300)
                .allSatisfy(head -> assertThat(Origin.header(head, "x-key"))
                        .isEqualTo("value-" + Origin.header(head, "x-generation")));
        for (var last : sandboxes) {
            assertThat(origin.heads())
                    .filteredOn(head -> Origin.header(head, "x-key").equals("value-" + last))
                    .hasSize(10)
                    .allSatisfy(
                            head -> assertThat(Origin.header(head, "x-client")).isEqualTo(last.toString()));
        }
    }

    private void use(int last) throws Exception {
        var address = proxy.dial(HOST, 443);
        try (var client = TestProxy.tls(proxy.connect(source(last), address), HOST, proxy.platformAuthority())) {
            ask(client, "X-Client: " + last + "\r\n");
        }
    }

    /** All requests get two headers: the generation, and a secret whose value names the generation. */
    private static Sandbox sandbox(String id, int lastByte, long generation) {
        var placeholder = "__slate-secret-" + "%032x".formatted(lastByte);
        var rule = new RequestRule(
                Set.of(),
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(
                        new SetHeader("X-Generation", Long.toString(generation), ""),
                        new SetHeader("X-Key", placeholder, "")));
        var policy = new NetworkPolicy(
                false,
                NetworkPolicy.entries(List.of(new HostEntry(HostPattern.parse(HOST), List.of(rule), false))),
                List.of(),
                List.of(),
                false);
        var credential = new Credential(
                "KEY",
                new Placeholder(placeholder),
                Set.of(HostName.parse(HOST)),
                Optional.of(SecretValue.of("value-" + generation)));
        return new Sandbox(id, (Inet4Address) source(lastByte), generation, policy, List.of(credential));
    }

    private static InetAddress source(int lastByte) {
        return InetAddress.ofLiteral("127.0.0." + lastByte);
    }

    private static void ask(Socket client) throws IOException {
        ask(client, "");
    }

    private static void ask(Socket client, String headers) throws IOException {
        client.getOutputStream()
                .write(("GET / HTTP/1.1\r\nHost: " + HOST + "\r\n" + headers + "\r\n").getBytes(ISO_8859_1));
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            var next = client.getInputStream().read();
            assertThat(next).as(head.toString()).isNotNegative();
            head.append((char) next);
        }
        assertThat(head.toString()).startsWith("HTTP/1.1 204");
    }
}
