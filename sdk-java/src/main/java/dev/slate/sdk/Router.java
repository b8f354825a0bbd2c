package dev.slate.sdk;

import com.google.protobuf.ByteString;
import dev.slate.api.router.v1.CreateApiKeyRequest;
import dev.slate.api.router.v1.DeleteConnectionRequest;
import dev.slate.api.router.v1.ListApiKeysRequest;
import dev.slate.api.router.v1.ListConnectionsRequest;
import dev.slate.api.router.v1.ListModelsRequest;
import dev.slate.api.router.v1.PutConnectionRequest;
import dev.slate.api.router.v1.RevokeApiKeyRequest;
import dev.slate.api.router.v1.RouterAdminGrpc;
import dev.slate.sdk.internal.Transport;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The model gateway's keys, models and providers. Thread-safe. */
public final class Router {

    private final Transport transport;

    /** A gateway key without its value; the hash identifies it. */
    public record ApiKey(String hash, String prefix, String description, Instant createdAt, boolean revoked) {}

    /** A new gateway key; the value is never shown again. */
    public record CreatedApiKey(ApiKey apiKey, SecretValue key) {}

    /** A model as a client names it, for example {@code openai/gpt-4.1-mini}. */
    public record Model(String id, String connection) {}

    /**
     * All models.
     *
     * @param unreachable connections that did not answer, with the reason
     */
    public record Models(List<Model> models, Map<String, String> unreachable) {}

    /**
     * A provider behind the gateway.
     *
     * @param modelPrefix put before the provider's own model names, for example {@code openai/}; may be empty
     */
    public record Connection(String name, URI baseUrl, String modelPrefix, boolean hasKey, Instant createdAt) {}

    Router(Transport transport) {
        this.transport = transport;
    }

    public Models models() {
        var reply = transport.call(RouterAdminGrpc.getListModelsMethod(), ListModelsRequest.getDefaultInstance());
        return new Models(
                reply.getModelsList().stream()
                        .map(model -> new Model(model.getId(), model.getConnection()))
                        .toList(),
                Map.copyOf(reply.getUnreachableMap()));
    }

    public CreatedApiKey createApiKey(String description) {
        var request =
                CreateApiKeyRequest.newBuilder().setDescription(description).build();
        var reply = transport.call(RouterAdminGrpc.getCreateApiKeyMethod(), request);
        return new CreatedApiKey(apiKey(reply.getApiKey()), SecretValue.of(reply.getKey()));
    }

    public List<ApiKey> apiKeys() {
        return Pages.all(token -> {
            var request = ListApiKeysRequest.newBuilder().setPageToken(token).build();
            var reply = transport.call(RouterAdminGrpc.getListApiKeysMethod(), request);
            return new Pages.Page<>(
                    reply.getApiKeysList().stream().map(Router::apiKey).toList(), reply.getNextPageToken());
        });
    }

    /** Revoking twice succeeds. */
    public void revokeApiKey(String hash) {
        transport.call(
                RouterAdminGrpc.getRevokeApiKeyMethod(),
                RevokeApiKeyRequest.newBuilder().setHash(hash).build());
    }

    /** Creates or replaces a connection that needs no key. */
    public Connection putConnection(String name, URI baseUrl, String modelPrefix) {
        return putConnection(request(name, baseUrl, modelPrefix).build());
    }

    /** Creates or replaces a connection and its key. */
    public Connection putConnection(String name, URI baseUrl, String modelPrefix, SecretValue key) {
        return putConnection(request(name, baseUrl, modelPrefix)
                .setKey(ByteString.copyFrom(key.revealBytes()))
                .build());
    }

    public List<Connection> connections() {
        var reply =
                transport.call(RouterAdminGrpc.getListConnectionsMethod(), ListConnectionsRequest.getDefaultInstance());
        return reply.getConnectionsList().stream().map(Router::connection).toList();
    }

    public void deleteConnection(String name) {
        transport.call(
                RouterAdminGrpc.getDeleteConnectionMethod(),
                DeleteConnectionRequest.newBuilder().setName(name).build());
    }

    private Connection putConnection(PutConnectionRequest request) {
        return connection(transport
                .call(RouterAdminGrpc.getPutConnectionMethod(), request)
                .getConnection());
    }

    private static PutConnectionRequest.Builder request(String name, URI baseUrl, String modelPrefix) {
        return PutConnectionRequest.newBuilder()
                .setConnection(dev.slate.api.router.v1.Connection.newBuilder()
                        .setName(name)
                        .setBaseUrl(baseUrl.toString())
                        .setModelPrefix(modelPrefix));
    }

    private static ApiKey apiKey(dev.slate.api.router.v1.ApiKey key) {
        return new ApiKey(
                key.getHash(),
                key.getPrefix(),
                key.getDescription(),
                Wire.instant(key.getCreatedAt()),
                key.getRevoked());
    }

    private static Connection connection(dev.slate.api.router.v1.Connection connection) {
        return new Connection(
                connection.getName(),
                URI.create(connection.getBaseUrl()),
                connection.getModelPrefix(),
                connection.getHasKey(),
                Wire.instant(connection.getCreatedAt()));
    }
}
