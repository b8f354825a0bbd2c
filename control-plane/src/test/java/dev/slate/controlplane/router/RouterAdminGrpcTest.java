package dev.slate.controlplane.router;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.slate.api.router.v1.CreateApiKeyRequest;
import dev.slate.api.router.v1.DeleteConnectionRequest;
import dev.slate.api.router.v1.ListApiKeysRequest;
import dev.slate.api.router.v1.ListConnectionsRequest;
import dev.slate.api.router.v1.ListModelsRequest;
import dev.slate.api.router.v1.PutConnectionRequest;
import dev.slate.api.router.v1.RevokeApiKeyRequest;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.GrpcCall;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterAdminGrpcTest {
    @TempDir
    Path home;

    private final GrpcCall owner = GrpcCall.with(EnumSet.allOf(Permission.class));
    private GatewayParts parts;
    private RouterAdminGrpc admin;

    @BeforeEach
    void setUp() {
        parts = new GatewayParts(home);
        admin = parts.admin();
    }

    @Test
    void aKeyIsShownOnce() {
        var created = owner.call(
                CreateApiKeyRequest.newBuilder().setDescription("tutorial").build(), admin::createApiKey);

        var list = owner.call(ListApiKeysRequest.getDefaultInstance(), admin::listApiKeys);

        assertThat(created.getKey()).matches("sl-[0-9a-f]{32}").hasSize(35);
        assertThat(created.getApiKey().getPrefix()).isEqualTo(created.getKey().substring(0, 11));
        assertThat(created.getApiKey().getHash()).matches("[0-9a-f]{64}");
        assertThat(list.getApiKeysList()).containsExactly(created.getApiKey());
        assertThat(list.toString()).doesNotContain(created.getKey());
    }

    @Test
    void aRevokedKeyIsRefusedAtOnce() {
        var created = owner.call(CreateApiKeyRequest.getDefaultInstance(), admin::createApiKey);
        assertThat(parts.keys().authenticate(created.getKey())).isPresent();

        var revoke = RevokeApiKeyRequest.newBuilder()
                .setHash(created.getApiKey().getHash())
                .build();
        owner.call(revoke, admin::revokeApiKey);
        owner.call(revoke, admin::revokeApiKey);

        assertThat(parts.keys().authenticate(created.getKey())).isEmpty();
        assertThat(owner.call(ListApiKeysRequest.getDefaultInstance(), admin::listApiKeys)
                        .getApiKeys(0)
                        .getRevoked())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sl-", "sl-00000000000000000000000000000000", "SL-00000000000000000000000000000000"})
    void unknownKeysAreRefused(String key) {
        assertThat(parts.keys().authenticate(key)).isEmpty();
    }

    @Test
    void eachCallNeedsItsPermission() {
        GrpcCall reader = GrpcCall.without(Permission.ROUTER_WRITE);
        GrpcCall writer = GrpcCall.without(Permission.ROUTER_READ);

        assertThat(reader.refusal(CreateApiKeyRequest.getDefaultInstance(), admin::createApiKey))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(reader.refusal(RevokeApiKeyRequest.getDefaultInstance(), admin::revokeApiKey))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(reader.refusal(put("a", "http://a", "").build(), admin::putConnection))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(reader.refusal(put("a", "http://a", "").setKeepKey(true).build(), admin::putConnection))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(reader.refusal(DeleteConnectionRequest.getDefaultInstance(), admin::deleteConnection))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(writer.refusal(ListApiKeysRequest.getDefaultInstance(), admin::listApiKeys))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(writer.refusal(ListModelsRequest.getDefaultInstance(), admin::listModels))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(writer.refusal(ListConnectionsRequest.getDefaultInstance(), admin::listConnections))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void aConnectionsKeyIsStoredButNeverShown() {
        var key = ByteString.copyFromUtf8("sk-provider");
        var stored = owner.call(
                put("openai", "https://api.openai.com/v1/", "openai/")
                        .setKey(key)
                        .build(),
                admin::putConnection);

        var list = owner.call(ListConnectionsRequest.getDefaultInstance(), admin::listConnections);

        assertThat(list.getConnectionsList()).containsExactly(stored.getConnection());
        assertThat(stored.getConnection().getHasKey()).isTrue();
        assertThat(stored.getConnection().getBaseUrl()).isEqualTo("https://api.openai.com/v1");
        assertThat(list.toString()).doesNotContain("sk-provider");
        assertThat(parts.connections().route(GrpcCall.ENVIRONMENT, "openai/gpt"))
                .hasValueSatisfying(route -> {
                    assertThat(route.upstreamModel()).isEqualTo("gpt");
                    assertThat(route.provider().key()).contains(SecretValue.of("sk-provider"));
                    assertThat(route.toString()).doesNotContain("sk-provider");
                });
    }

    @Test
    void aKeptKeyNeverMovesToAnotherServer() {
        var key = ByteString.copyFromUtf8("sk-provider");
        owner.call(put("a", "https://api.example.com/v1", "a/").setKey(key).build(), admin::putConnection);

        owner.call(
                put("a", "https://API.example.com:443/v2", "b/")
                        .setKeepKey(true)
                        .build(),
                admin::putConnection);
        assertThat(parts.connections()
                        .route(GrpcCall.ENVIRONMENT, "b/m")
                        .orElseThrow()
                        .provider()
                        .key())
                .isPresent();
        assertThat(owner.refusal(
                        put("a", "https://evil.example.com/v1", "a/")
                                .setKeepKey(true)
                                .build(),
                        admin::putConnection))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(owner.refusal(
                        put("a", "http://api.example.com/v1", "a/")
                                .setKeepKey(true)
                                .build(),
                        admin::putConnection))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "api.openai.com",
                "ftp://a/v1",
                "http://",
                "https://u:p@a/v1",
                "https://a/v1?x=1",
                "http://a b"
            })
    void refusesBaseUrlsThatAreNone(String url) {
        assertThat(owner.refusal(put("a", url, "").build(), admin::putConnection))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void twoConnectionsCannotShareAPrefix() {
        owner.call(put("a", "http://a", "x/").build(), admin::putConnection);

        assertThat(owner.refusal(put("b", "http://b", "x/").build(), admin::putConnection))
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
    }

    @Test
    void theLongestPrefixServesAModel() {
        owner.call(put("all", "http://a", "").build(), admin::putConnection);
        owner.call(put("one", "http://b", "openai/").build(), admin::putConnection);
        owner.call(put("two", "http://c", "openai/fine/").build(), admin::putConnection);

        assertThat(connectionOf("gpt")).isEqualTo("all");
        assertThat(connectionOf("openai/gpt")).isEqualTo("one");
        assertThat(connectionOf("openai/fine/gpt")).isEqualTo("two");
        assertThat(connectionOf("openai/fine/")).isEqualTo("one");
    }

    private String connectionOf(String model) {
        return parts.connections()
                .route(GrpcCall.ENVIRONMENT, model)
                .orElseThrow()
                .provider()
                .name();
    }

    private static PutConnectionRequest.Builder put(String name, String url, String prefix) {
        return PutConnectionRequest.newBuilder()
                .setConnection(dev.slate.api.router.v1.Connection.newBuilder()
                        .setName(name)
                        .setBaseUrl(url)
                        .setModelPrefix(prefix));
    }
}
