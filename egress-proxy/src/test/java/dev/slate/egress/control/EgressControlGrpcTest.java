package dev.slate.egress.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.slate.api.egress.v1.Credential;
import dev.slate.api.egress.v1.EgressControlGrpc;
import dev.slate.api.egress.v1.EgressControlGrpc.EgressControlBlockingStub;
import dev.slate.api.egress.v1.GetTrustRequest;
import dev.slate.api.egress.v1.ListConnectionsRequest;
import dev.slate.api.egress.v1.ListSandboxesRequest;
import dev.slate.api.egress.v1.NetworkPolicy;
import dev.slate.api.egress.v1.PutSandboxRequest;
import dev.slate.api.egress.v1.RemoveSandboxRequest;
import dev.slate.api.egress.v1.SandboxInForce;
import dev.slate.common.secret.SecretValue;
import dev.slate.egress.dns.DnsServer;
import dev.slate.egress.host.HostName;
import dev.slate.egress.policy.AddressGuard;
import dev.slate.egress.proxy.Gateway;
import dev.slate.egress.proxy.SystemResolver;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.DataInputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EgressControlGrpcTest {

    private static final String SECRET = "sk-grpc-SENTINEL";

    @TempDir
    Path folder;

    private EgressProxy proxy;
    private DnsServer dns;
    private Server server;
    private ManagedChannel channel;
    private EgressControlBlockingStub control;

    @BeforeEach
    void start() throws Exception {
        var loopback = InetAddress.getLoopbackAddress();
        proxy = new EgressProxy(
                new EgressProxy.Setup(
                        folder,
                        new Gateway(
                                HostName.parse("api.slate.internal"),
                                new InetSocketAddress(loopback, 1),
                                SecretValue.of("proof")),
                        Optional.empty(),
                        new AddressGuard(Set.of()),
                        new SystemResolver(),
                        100,
                        1 << 20),
                Clock.systemUTC(),
                new SecureRandom());
        dns = proxy.serveDns(new InetSocketAddress(loopback, 0));
        server = InProcessServerBuilder.forName(folder.toString())
                .directExecutor()
                .addService(new dev.slate.egress.control.EgressControlGrpc(proxy.control()))
                .build()
                .start();
        channel = InProcessChannelBuilder.forName(folder.toString())
                .directExecutor()
                .build();
        control = EgressControlGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
        dns.close();
        proxy.close();
    }

    @Test
    void putsListsAndRemoves() {
        assertThat(control.putSandbox(put(3).build()).getGeneration()).isEqualTo(3);
        assertThat(control.putSandbox(put(3).build()).getGeneration())
                .as("again")
                .isEqualTo(3);
        assertThat(control.listSandboxes(ListSandboxesRequest.getDefaultInstance())
                        .getSandboxesList())
                .containsExactly(SandboxInForce.newBuilder()
                        .setSandboxId("a")
                        .setSourceAddress("127.0.0.1")
                        .setGeneration(3)
                        .build());

        var remove = RemoveSandboxRequest.newBuilder().setSandboxId("a").build();
        assertThat(control.removeSandbox(remove)).isNotNull();
        assertThat(control.removeSandbox(remove)).as("again").isNotNull();
        assertThat(control.listSandboxes(ListSandboxesRequest.getDefaultInstance())
                        .getSandboxesList())
                .isEmpty();
    }

    @Test
    void refusesWhatItCannotEnforceAndNamesNoSecret() {
        var _ = control.putSandbox(put(3).build());

        assertRefused(put(2), "FAILED_PRECONDITION", "at least 3");
        assertRefused(put(4).setSandboxId("b"), "FAILED_PRECONDITION", "127.0.0.1");
        assertRefused(put(4).setSandboxId("../x"), "INVALID_ARGUMENT", "sandbox_id");
        assertRefused(put(4).setSourceAddress("::1"), "INVALID_ARGUMENT", "IPv4");
        assertRefused(put(4).clearPolicy(), "INVALID_ARGUMENT", "open or allowlist");
        assertRefused(put(4).setPolicy(allow("*")), "INVALID_ARGUMENT", "allowed host");
        assertRefused(put(4).setPolicy(allow()).addCredentials(credential(SECRET)), "INVALID_ARGUMENT", "outside");
        assertRefused(put(4).addCredentials(credential(SECRET + "\n")), "INVALID_ARGUMENT", "KEY");
    }

    @Test
    void namesTheTrustFiles() {
        var trust = control.getTrust(GetTrustRequest.getDefaultInstance());

        assertThat(Path.of(trust.getCaPemPath())).isNotEmptyFile();
        assertThat(Path.of(trust.getBundlePemPath())).isNotEmptyFile();
        assertThat(Files.isReadable(Path.of(trust.getBundlePemPath()))).isTrue();
        assertThat(trust.getEnvironmentMap()).containsEntry("REQUESTS_CA_BUNDLE", "bundle");
    }

    @Test
    void listsNoConnectionsOfASandboxThatMadeNone() {
        var answer = control.listConnections(
                ListConnectionsRequest.newBuilder().setSandboxId("a").build());

        assertThat(answer.getConnectionsList()).isEmpty();
        assertThat(answer.getNextPageToken()).isEmpty();
    }

    @Test
    void answersDnsOverUdpAndTcp() throws Exception {
        var _ = control.putSandbox(put(1).build());
        var question = question("api.example.com");

        byte[] overUdp;
        try (var socket = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
            socket.setSoTimeout(5_000);
            socket.send(new DatagramPacket(question, question.length, dns.address()));
            var packet = new DatagramPacket(new byte[512], 512);
            socket.receive(packet);
            overUdp = Arrays.copyOf(packet.getData(), packet.getLength());
        }
        byte[] overTcp;
        try (var socket = new Socket(dns.address().getAddress(), dns.address().getPort())) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(2 + question.length)
                            .putShort((short) question.length)
                            .put(question)
                            .array());
            var in = new DataInputStream(socket.getInputStream());
            overTcp = in.readNBytes(in.readUnsignedShort());
        }

        assertThat(overTcp).isEqualTo(overUdp);
        assertThat(overUdp[overUdp.length - 4] & 0xff).isEqualTo(198);
    }

    private void assertRefused(PutSandboxRequest.Builder request, String status, String message) {
        assertThatThrownBy(() -> control.putSandbox(request.build()))
                .hasMessageContaining(status)
                .hasMessageContaining(message)
                .hasMessageNotContaining(SECRET);
    }

    private static PutSandboxRequest.Builder put(long generation) {
        return PutSandboxRequest.newBuilder()
                .setSandboxId("a")
                .setSourceAddress("127.0.0.1")
                .setGeneration(generation)
                .setPolicy(allow("api.example.com"));
    }

    private static NetworkPolicy allow(String... hosts) {
        return NetworkPolicy.newBuilder()
                .setMode(NetworkPolicy.Mode.MODE_ALLOWLIST)
                .addAllAllowedHosts(Arrays.asList(hosts))
                .build();
    }

    private static Credential credential(String value) {
        return Credential.newBuilder()
                .setName("KEY")
                .setPlaceholder("__slate-secret-" + "0".repeat(32))
                .addHosts("api.example.com")
                .setValue(ByteString.copyFrom(value, UTF_8))
                .build();
    }

    private static byte[] question(String name) {
        var buffer = ByteBuffer.allocate(512);
        buffer.putShort((short) 7)
                .putShort((short) 0x0100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0);
        for (var label : name.split("\\.", -1)) {
            buffer.put((byte) label.length()).put(label.getBytes(UTF_8));
        }
        buffer.put((byte) 0).putShort((short) 1).putShort((short) 1);
        return Arrays.copyOf(buffer.array(), buffer.position());
    }
}
