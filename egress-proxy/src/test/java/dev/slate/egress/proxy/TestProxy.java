package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.audit.ConnectionRecord;
import dev.slate.egress.control.EgressProxy;
import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.Placeholder;
import dev.slate.egress.dns.SyntheticAddresses;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.HostPattern;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.AddressGuard;
import dev.slate.egress.policy.NetworkPolicy;
import dev.slate.egress.policy.Sandbox;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * A proxy on loopback without a firewall in front. A client that dials 127.18.x.y or 127.19.x.y stands for one that
 * dialled the synthetic address 198.18.x.y or 198.19.x.y; the port that stands for 443 differs from the one for 80.
 */
final class TestProxy implements AutoCloseable {

    static final String SANDBOX = "sandbox-a";
    static final String SECRET = "sk-live-SENTINEL-0123456789";
    static final String PLACEHOLDER = "__slate-secret-" + "0123456789abcdef".repeat(2);
    static final InetAddress SOURCE = InetAddress.ofLiteral("127.0.0.1");

    final Map<String, InetSocketAddress> hosts = new ConcurrentHashMap<>();
    final EgressProxy proxy;
    final Path folder;
    private final int tlsPort;
    private final int plainPort;
    private final int otherPort;
    private final int explicitPort;

    TestProxy(Path folder, TestAuthority authority, InetSocketAddress gateway) throws Exception {
        this.folder = folder;
        this.proxy = new EgressProxy(
                new EgressProxy.Setup(
                        folder,
                        new Gateway(HostName.parse("api.slate.internal"), gateway, SecretValue.of("proof-of-proxy")),
                        Optional.of(authority.writeTo(folder.resolve("test-ca.pem"))),
                        new AddressGuard(Set.of(), List.of(), InetAddress.ofLiteral("127.0.0.1")::equals),
                        this::resolve,
                        1000,
                        1 << 20),
                Clock.systemUTC(),
                new SecureRandom());
        var ports = new ConcurrentHashMap<Integer, Integer>();
        var server = ProxyServer.direct(proxy.plane(), proxy.loops(), channel -> {
            var local = channel.localAddress();
            var bytes = local.getAddress().getAddress();
            if (bytes[1] == 18 || bytes[1] == 19) {
                bytes[0] = (byte) 198;
            } else if (bytes[1] != 0) {
                bytes[0] = 93;
            }
            return new InetSocketAddress(IpLiteral.address(bytes), ports.getOrDefault(local.getPort(), 443));
        });
        tlsPort = server.listen(new InetSocketAddress("0.0.0.0", 0)).getPort();
        plainPort = server.listen(new InetSocketAddress("0.0.0.0", 0)).getPort();
        otherPort = server.listen(new InetSocketAddress("0.0.0.0", 0)).getPort();
        explicitPort = server.listen(new InetSocketAddress("0.0.0.0", 0)).getPort();
        ports.putAll(Map.of(tlsPort, 443, plainPort, 80, otherPort, 2222, explicitPort, Gateway.EXPLICIT_PORT));
    }

    private List<InetSocketAddress> resolve(HostName host, int port) throws UnknownHostException {
        var address = hosts.get(host.value());
        if (address == null) {
            throw new UnknownHostException(host.value());
        }
        return List.of(address);
    }

    void open(long generation, Credential... credentials) {
        proxy.control().put(sandbox(generation, NetworkPolicy.openInternet(), credentials));
    }

    void allow(long generation, Set<String> patterns, Credential... credentials) {
        var allowed = patterns.stream().map(HostPattern::parse).collect(Collectors.toSet());
        proxy.control().put(sandbox(generation, NetworkPolicy.allowing(allowed), credentials));
    }

    void put(long generation, NetworkPolicy policy, Credential... credentials) {
        proxy.control().put(sandbox(generation, policy, credentials));
    }

    private static Sandbox sandbox(long generation, NetworkPolicy policy, Credential... credentials) {
        return new Sandbox(SANDBOX, (Inet4Address) SOURCE, generation, policy, List.of(credentials));
    }

    static Credential credential(String... boundTo) {
        return credential(Optional.of(SecretValue.of(SECRET)), boundTo);
    }

    static Credential credential(Optional<SecretValue> value, String... boundTo) {
        return new Credential(
                "KEY",
                new Placeholder(PLACEHOLDER),
                Stream.of(boundTo).map(HostName::parse).collect(Collectors.toSet()),
                value);
    }

    /** Where a client of the sandbox has to dial to mean this name on this port. */
    InetSocketAddress dial(String name, int port) {
        var bytes = proxy.plane()
                .addresses()
                .addressOf(SANDBOX, HostName.parse(name))
                .getAddress();
        if (!SyntheticAddresses.isSynthetic(IpLiteral.address(bytes))) {
            throw new IllegalStateException("no synthetic address for " + name);
        }
        bytes[0] = 127;
        return new InetSocketAddress(IpLiteral.address(bytes), localPort(port));
    }

    /** Dials a real address, 93.b.c.d. */
    InetSocketAddress dialLiteral(int b, int c, int d, int port) {
        return new InetSocketAddress(
                IpLiteral.address(new byte[] {127, (byte) b, (byte) c, (byte) d}), localPort(port));
    }

    private int localPort(int port) {
        return switch (port) {
            case 443 -> tlsPort;
            case 80 -> plainPort;
            case Gateway.EXPLICIT_PORT -> explicitPort;
            default -> otherPort;
        };
    }

    Socket connect(InetSocketAddress address) throws IOException {
        return connect(SOURCE, address);
    }

    Socket connect(InetAddress source, InetSocketAddress address) throws IOException {
        var socket = new Socket();
        socket.setSoTimeout(15_000);
        socket.bind(new InetSocketAddress(source, 0));
        socket.connect(address);
        return socket;
    }

    /** A client that trusts the platform authority, or another one. */
    SSLSocket tls(String name, X509Certificate trusted) throws Exception {
        return tls(dial(name, 443), name, trusted);
    }

    SSLSocket tls(InetSocketAddress address, String serverName, X509Certificate trusted, String... protocols)
            throws Exception {
        return tls(connect(address), serverName, trusted, protocols);
    }

    /** TLS on a connection that is open already, such as a tunnel. */
    static SSLSocket tls(Socket connected, String serverName, X509Certificate trusted, String... protocols)
            throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("ca", trusted);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        var socket = (SSLSocket) context.getSocketFactory().createSocket(connected, serverName, 443, true);
        var parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(serverName)));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    SSLSocket terminated(String name) throws Exception {
        return tls(name, platformAuthority());
    }

    X509Certificate platformAuthority() throws Exception {
        try (var in = Files.newInputStream(folder.resolve("trust/ca.pem"))) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /** Sends text, half-closes nothing, and reads to the end. */
    static String talk(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }

    List<ConnectionRecord> records() {
        return proxy.control().connections(SANDBOX, 0, 1000);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
