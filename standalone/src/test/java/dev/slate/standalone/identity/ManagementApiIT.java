package dev.slate.standalone.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import dev.slate.api.identity.v1.CreateServiceTokenRequest;
import dev.slate.api.identity.v1.CreateServiceTokenResponse;
import dev.slate.api.identity.v1.GetConfigurationRequest;
import dev.slate.api.identity.v1.IdentityGrpc;
import dev.slate.api.identity.v1.ListServiceTokensRequest;
import dev.slate.api.identity.v1.RevokeServiceTokenRequest;
import dev.slate.api.identity.v1.WhoAmIRequest;
import dev.slate.api.identity.v1.WhoAmIResponse;
import dev.slate.api.router.v1.Connection;
import dev.slate.api.router.v1.CreateApiKeyRequest;
import dev.slate.api.router.v1.CreateApiKeyResponse;
import dev.slate.api.router.v1.DeleteConnectionRequest;
import dev.slate.api.router.v1.ListApiKeysRequest;
import dev.slate.api.router.v1.ListConnectionsRequest;
import dev.slate.api.router.v1.ListModelsRequest;
import dev.slate.api.router.v1.PutConnectionRequest;
import dev.slate.api.router.v1.RevokeApiKeyRequest;
import dev.slate.api.router.v1.RouterAdminGrpc;
import dev.slate.api.secret.v1.DeleteSecretRequest;
import dev.slate.api.secret.v1.GetSecretRequest;
import dev.slate.api.secret.v1.ListSecretsRequest;
import dev.slate.api.secret.v1.SecretsGrpc;
import dev.slate.api.secret.v1.SetSecretRequest;
import dev.slate.common.auth.Permission;
import dev.slate.common.auth.ProxyProof;
import dev.slate.common.config.HomeConfig;
import dev.slate.standalone.PlatformResource;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client sees of logins, secrets and the gateway, over HTTP and gRPC with a real database. */
@QuarkusTest
@QuarkusTestResource(PlatformResource.class)
class ManagementApiIT {
    private static final Pattern ACCESS_TOKEN = Pattern.compile("\"access_token\":\"([^\"]+)\"");

    @Inject
    HomeConfig home;

    @Inject
    ProxyProof proof;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private URI platform;
    private ManagedChannel channel;
    private String ownerToken;

    @BeforeEach
    void setUp() throws Exception {
        platform = ConfigProvider.getConfig().getValue("test.url", URI.class);
        channel = ManagedChannelBuilder.forAddress("127.0.0.1", platform.getPort())
                .usePlaintext()
                .build();
        ownerToken = Files.readString(home.home().resolve("owner-token")).strip();
    }

    @AfterEach
    void tearDown() {
        channel.shutdownNow();
        http.shutdownNow();
    }

    @Test
    void theOwnersTokenFileLogsInAsTheOwner() {
        WhoAmIResponse owner = identity(ownerToken).whoAmI(WhoAmIRequest.getDefaultInstance());

        assertThat(owner.getSubject()).isEqualTo("owner");
        assertThat(owner.getRole()).isEqualTo("Owner");
        assertThat(owner.getEnvironmentName()).isEqualTo("default");
        assertThat(owner.getEnvironmentId()).matches("[0-9a-f-]{36}");
        assertThat(owner.getPermissionsList()).hasSize(Permission.values().length);
        assertThat(identity(ownerToken)
                        .getConfiguration(GetConfigurationRequest.getDefaultInstance())
                        .getPlatformHost())
                .isEqualTo("api.slate.internal");
    }

    @Test
    void nobodyGetsInWithoutAToken() {
        assertRefused(
                Status.Code.UNAUTHENTICATED,
                () -> SecretsGrpc.newBlockingStub(channel).listSecrets(ListSecretsRequest.getDefaultInstance()));
        assertRefused(
                Status.Code.UNAUTHENTICATED, () -> identity("e30.e30.e30").whoAmI(WhoAmIRequest.getDefaultInstance()));
    }

    @Test
    void aServiceTokenMayDoWhatItWasMadeForUntilItIsRevoked() throws Exception {
        CreateServiceTokenResponse created = identity(ownerToken)
                .createServiceToken(CreateServiceTokenRequest.newBuilder()
                        .setDescription("ci")
                        .addPermissions("secrets.list")
                        .build());
        String clientId = created.getToken().getClientId();
        HttpResponse<String> response = exchange(clientId, created.getClientSecret());
        Matcher token = ACCESS_TOKEN.matcher(response.body());
        assertThat(token.find()).as(response.body()).isTrue();
        SecretsGrpc.SecretsBlockingStub secrets = as(token.group(1), SecretsGrpc.newBlockingStub(channel));

        assertThat(secrets.listSecrets(ListSecretsRequest.getDefaultInstance()).getNextPageToken())
                .isEmpty();
        assertRefused(
                Status.Code.PERMISSION_DENIED,
                () -> secrets.getSecret(
                        GetSecretRequest.newBuilder().setName("X").build()));

        identity(ownerToken)
                .revokeServiceToken(RevokeServiceTokenRequest.newBuilder()
                        .setClientId(clientId)
                        .build());

        assertRefused(Status.Code.UNAUTHENTICATED, () -> secrets.listSecrets(ListSecretsRequest.getDefaultInstance()));
        assertThat(exchange(clientId, created.getClientSecret()).statusCode()).isEqualTo(401);
        assertThat(exchange("sc-unknown", "x").body()).contains("\"error\":\"invalid_client\"");
        assertThat(identity(ownerToken)
                        .listServiceTokens(ListServiceTokensRequest.getDefaultInstance())
                        .getTokensList())
                .anySatisfy(listed -> {
                    assertThat(listed.getClientId()).isEqualTo(clientId);
                    assertThat(listed.getRevoked()).isTrue();
                });
    }

    @Test
    void aSecretIsKeptOverwrittenListedAndDeleted() {
        SecretsGrpc.SecretsBlockingStub secrets = as(ownerToken, SecretsGrpc.newBlockingStub(channel));
        SetSecretRequest.Builder set = SetSecretRequest.newBuilder().setName("AGENT_GATEWAY_KEY");
        secrets.setSecret(set.setValue(ByteString.copyFromUtf8("first")).build());
        secrets.setSecret(set.setValue(ByteString.copyFromUtf8("second")).build());
        GetSecretRequest get =
                GetSecretRequest.newBuilder().setName("AGENT_GATEWAY_KEY").build();

        assertThat(secrets.getSecret(get).getValue().toStringUtf8()).isEqualTo("second");
        assertThat(secrets.listSecrets(ListSecretsRequest.getDefaultInstance()).getSecretsList())
                .singleElement()
                .satisfies(secret -> assertThat(secret.getName()).isEqualTo("AGENT_GATEWAY_KEY"));

        DeleteSecretRequest delete =
                DeleteSecretRequest.newBuilder().setName("AGENT_GATEWAY_KEY").build();
        secrets.deleteSecret(delete);
        assertRefused(Status.Code.NOT_FOUND, () -> secrets.getSecret(get));
        assertRefused(Status.Code.NOT_FOUND, () -> secrets.deleteSecret(delete));
    }

    @Test
    void aGatewayKeyReachesTheProviderUntilItIsRevoked() throws Exception {
        HttpServer provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        provider.createContext("/v1", call -> {
            boolean list = call.getRequestURI().getPath().endsWith("/models");
            byte[] body = (list ? "{\"data\":[{\"id\":\"m\"}]}" : "{\"choices\":[]}").getBytes(StandardCharsets.UTF_8);
            call.getRequestBody().readAllBytes();
            call.getResponseHeaders().add("content-type", "application/json");
            call.sendResponseHeaders(200, body.length);
            call.getResponseBody().write(body);
            call.close();
        });
        provider.start();
        RouterAdminGrpc.RouterAdminBlockingStub router = as(ownerToken, RouterAdminGrpc.newBlockingStub(channel));
        String base = "http://127.0.0.1:" + provider.getAddress().getPort() + "/v1";
        PutConnectionRequest.Builder put = PutConnectionRequest.newBuilder()
                .setConnection(
                        Connection.newBuilder().setName("test").setBaseUrl(base).setModelPrefix("test/"));
        try {
            router.putConnection(put.setKey(ByteString.copyFromUtf8("sk-1")).build());
            router.putConnection(put.clearKey().setKeepKey(true).build());
            CreateApiKeyResponse created = router.createApiKey(
                    CreateApiKeyRequest.newBuilder().setDescription("test").build());

            assertThat(router.listConnections(ListConnectionsRequest.getDefaultInstance())
                            .getConnectionsList())
                    .singleElement()
                    .satisfies(connection -> assertThat(connection.getHasKey()).isTrue());
            assertThat(router.listModels(ListModelsRequest.getDefaultInstance()).getModelsList())
                    .singleElement()
                    .satisfies(model -> assertThat(model.getId()).isEqualTo("test/m"));
            assertThat(chat(created.getKey()).body()).isEqualTo("{\"choices\":[]}");
            assertThat(chat(ownerToken).statusCode()).isEqualTo(401);
            assertThat(router.listApiKeys(ListApiKeysRequest.getDefaultInstance())
                            .toString())
                    .doesNotContain(created.getKey());

            router.revokeApiKey(RevokeApiKeyRequest.newBuilder()
                    .setHash(created.getApiKey().getHash())
                    .build());
            assertThat(chat(created.getKey()).statusCode()).isEqualTo(401);
            router.deleteConnection(
                    DeleteConnectionRequest.newBuilder().setName("test").build());
        } finally {
            provider.stop(0);
        }
    }

    @Test
    void aSandboxReachesTheGatewayButNeverTheManagementApi() throws Exception {
        Metadata mark = new Metadata();
        mark.put(Metadata.Key.of(ProxyProof.SANDBOX_HEADER, Metadata.ASCII_STRING_MARSHALLER), "sandbox-1");
        mark.put(
                Metadata.Key.of(ProxyProof.PROOF_HEADER, Metadata.ASCII_STRING_MARSHALLER),
                proof.value().revealText());
        ClientInterceptor marked = MetadataUtils.newAttachHeadersInterceptor(mark);

        assertThatThrownBy(
                        () -> identity(ownerToken).withInterceptors(marked).whoAmI(WhoAmIRequest.getDefaultInstance()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageStartingWith("PERMISSION_DENIED");
        assertThat(fromSandbox("/v1/auth/token")).isEqualTo(403);
        assertThat(fromSandbox("/v1/router/../auth/token")).isEqualTo(403);
        assertThat(fromSandbox("/v1/router/%2e%2e/auth/token")).isEqualTo(403);
        assertThat(fromSandbox("/q/health")).isEqualTo(403);
        assertThat(fromSandbox("/v1/router/models")).isEqualTo(401);
    }

    private int fromSandbox(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + platform.getPort() + path))
                .header(ProxyProof.SANDBOX_HEADER, "sandbox-1")
                .header(ProxyProof.PROOF_HEADER, proof.value().revealText())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private HttpResponse<String> chat(String key) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(platform.resolve("/v1/router/chat/completions"))
                .header("authorization", "Bearer " + key)
                .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"test/m\"}"))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> exchange(String clientId, String secret) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(platform.resolve("/v1/auth/token"))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "grant_type=client_credentials&client_id=" + clientId + "&client_secret=" + secret))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private IdentityGrpc.IdentityBlockingStub identity(String token) {
        return as(token, IdentityGrpc.newBlockingStub(channel));
    }

    private static <S extends AbstractStub<S>> S as(String token, S stub) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private static void assertRefused(Status.Code code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> assertThat(refused.getStatus().getCode()).isEqualTo(code));
    }
}
