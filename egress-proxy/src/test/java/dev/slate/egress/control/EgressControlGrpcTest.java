package dev.slate.egress.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.slate.api.egress.v1.AccessQuestion;
import dev.slate.api.egress.v1.CheckPolicyRequest;
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
import dev.slate.api.egress.v1.TestPolicyRequest;
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
import java.util.List;
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
                        new AddressGuard(Set.of(), List.of()),
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
    void refusesThePlainNameOfASecretInWhatIsToBeInForce() {
        var policy = allow().toBuilder();
        policy.addHostRulesBuilder()
                .setHost("api.example.com")
                .addRulesBuilder()
                .addSetHeadersBuilder()
                .setName("X-Key")
                .setSecret("KEY");

        assertRefused(put(1).setPolicy(policy), "INVALID_ARGUMENT", "its placeholder");
        assertThat(check(policy.build())
                        .getHostRules(0)
                        .getRules(0)
                        .getSetHeaders(0)
                        .getValue())
                .isEqualTo("{secret}");
    }

    @Test
    void givesThePolicyBackInItsCanonicalForm() {
        var policy = allow("B.example.", "a.example:8443", "a.example:8443", "bücher.example").toBuilder()
                .addDeniedCidrs("fd12:0:0::/48")
                .setObserve(true);
        policy.addRoutesBuilder().setCidr("10.1.0.0/16").addPortsBuilder().setFirst(5432);
        policy.addHostRulesBuilder()
                .setHost("*.Example.org")
                .addRulesBuilder()
                .addMethods("PUT")
                .addMethods("GET");

        var canonical = check(policy.build());

        assertThat(canonical.getAllowedHostsList())
                .containsExactly("a.example:8443", "b.example", "xn--bcher-kva.example");
        assertThat(canonical.getHostRules(0).getHost()).isEqualTo("*.example.org");
        assertThat(canonical.getHostRules(0).getRules(0).getMethodsList()).containsExactly("GET", "PUT");
        assertThat(canonical.getRoutes(0).getPorts(0).getLast()).isEqualTo(5432);
        assertThat(canonical.getObserve()).isTrue();
        assertThat(check(canonical)).isEqualTo(canonical);
    }

    @Test
    void checksHostsOfCredentials() {
        var request = CheckPolicyRequest.newBuilder().setPolicy(allow());

        assertThat(control.checkPolicy(
                                request.addCredentialHosts("API.example.com.").build())
                        .getCredentialHostsList())
                .containsExactly("api.example.com");
        for (var host : List.of("*.example.com", "example.com:443", "93.184.215.14")) {
            assertThatThrownBy(() -> control.checkPolicy(request.clearCredentialHosts()
                            .addCredentialHosts(host)
                            .build()))
                    .hasMessageContaining("credential host: " + host);
        }
    }

    @Test
    void saysWhatItWouldDecideForAPolicyAndForASandbox() {
        var _ = control.putSandbox(put(7).addCredentials(credential(SECRET)).build());
        var question = AccessQuestion.newBuilder().setHost("api.example.com").setMethod("GET");

        var inForce = test(TestPolicyRequest.newBuilder().setSandboxId("a").setQuestion(question));
        var other = test(
                TestPolicyRequest.newBuilder().setPolicy(allow("other.example")).setQuestion(question));
        var metadata = test(TestPolicyRequest.newBuilder()
                .setPolicy(NetworkPolicy.newBuilder().setMode(NetworkPolicy.Mode.MODE_OPEN))
                .setQuestion(
                        AccessQuestion.newBuilder().setHost("169.254.169.254").setPort(80)));

        assertThat(inForce.getDecision()).isEqualTo("allowed");
        assertThat(inForce.getMode()).isEqualTo("terminate");
        assertThat(inForce.getCredentialsList()).containsExactly("KEY");
        assertThat(inForce.getPolicyGeneration()).isEqualTo(7);
        assertThat(other.getDecision()).isEqualTo("denied");
        assertThat(other.getReason()).isEqualTo("host_not_allowed");
        assertThat(other.getMode()).isEqualTo("deny");
        assertThat(metadata.getReason()).isEqualTo("address_refused");
        assertThat(metadata.getRule()).contains("169.254.0.0/16");
        assertThatThrownBy(() ->
                        test(TestPolicyRequest.newBuilder().setSandboxId("b").setQuestion(question)))
                .hasMessageContaining("NOT_FOUND");
        assertThatThrownBy(() -> test(TestPolicyRequest.newBuilder()
                        .setSandboxId("a")
                        .setQuestion(AccessQuestion.newBuilder().setHost("127.1"))))
                .hasMessageContaining("INVALID_ARGUMENT");
    }

    private dev.slate.api.egress.v1.AccessAnswer test(TestPolicyRequest.Builder request) {
        return control.testPolicy(request.build()).getAnswer();
    }

    private NetworkPolicy check(NetworkPolicy policy) {
        return control.checkPolicy(
                        CheckPolicyRequest.newBuilder().setPolicy(policy).build())
                .getPolicy();
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
