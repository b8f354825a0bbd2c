package dev.slate.testing;

import dev.slate.api.router.v1.ApiKey;
import dev.slate.api.router.v1.Connection;
import dev.slate.api.router.v1.CreateApiKeyRequest;
import dev.slate.api.router.v1.CreateApiKeyResponse;
import dev.slate.api.router.v1.DeleteConnectionRequest;
import dev.slate.api.router.v1.DeleteConnectionResponse;
import dev.slate.api.router.v1.ListApiKeysRequest;
import dev.slate.api.router.v1.ListApiKeysResponse;
import dev.slate.api.router.v1.ListConnectionsRequest;
import dev.slate.api.router.v1.ListConnectionsResponse;
import dev.slate.api.router.v1.ListModelsRequest;
import dev.slate.api.router.v1.ListModelsResponse;
import dev.slate.api.router.v1.Model;
import dev.slate.api.router.v1.PutConnectionRequest;
import dev.slate.api.router.v1.PutConnectionResponse;
import dev.slate.api.router.v1.RevokeApiKeyRequest;
import dev.slate.api.router.v1.RevokeApiKeyResponse;
import dev.slate.api.router.v1.RouterAdminGrpc;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps what it is told. */
final class FakeRouter extends RouterAdminGrpc.RouterAdminImplBase {

    private final Map<String, ApiKey> keys = new ConcurrentSkipListMap<>();
    private final Map<String, Connection> connections = new ConcurrentSkipListMap<>();

    @Override
    public void createApiKey(CreateApiKeyRequest request, StreamObserver<CreateApiKeyResponse> observer) {
        Fakes.reply(observer, () -> {
            var key = ApiKey.newBuilder()
                    .setHash("hash-" + (keys.size() + 1))
                    .setPrefix("sl-00112233")
                    .setDescription(request.getDescription())
                    .setCreatedAt(Fakes.TIME)
                    .build();
            keys.put(key.getHash(), key);
            return CreateApiKeyResponse.newBuilder()
                    .setApiKey(key)
                    .setKey("sl-00112233445566778899aabbccddeeff")
                    .build();
        });
    }

    @Override
    public void listApiKeys(ListApiKeysRequest request, StreamObserver<ListApiKeysResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListApiKeysResponse.newBuilder()
                        .addAllApiKeys(keys.values())
                        .build());
    }

    @Override
    public void revokeApiKey(RevokeApiKeyRequest request, StreamObserver<RevokeApiKeyResponse> observer) {
        Fakes.reply(observer, () -> {
            keys.computeIfPresent(
                    request.getHash(),
                    (_, key) -> key.toBuilder().setRevoked(true).build());
            return RevokeApiKeyResponse.getDefaultInstance();
        });
    }

    @Override
    public void listModels(ListModelsRequest request, StreamObserver<ListModelsResponse> observer) {
        Fakes.reply(observer, () -> {
            var reply = ListModelsResponse.newBuilder();
            connections
                    .values()
                    .forEach(connection -> reply.addModels(Model.newBuilder()
                            .setId(connection.getModelPrefix() + "small")
                            .setConnection(connection.getName())));
            return reply.build();
        });
    }

    @Override
    public void putConnection(PutConnectionRequest request, StreamObserver<PutConnectionResponse> observer) {
        Fakes.reply(observer, () -> {
            var stored = request.getConnection().toBuilder()
                    .setHasKey(!request.getKey().isEmpty())
                    .setCreatedAt(Fakes.TIME)
                    .build();
            connections.put(stored.getName(), stored);
            return PutConnectionResponse.newBuilder().setConnection(stored).build();
        });
    }

    @Override
    public void listConnections(ListConnectionsRequest request, StreamObserver<ListConnectionsResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListConnectionsResponse.newBuilder()
                        .addAllConnections(connections.values())
                        .build());
    }

    @Override
    public void deleteConnection(DeleteConnectionRequest request, StreamObserver<DeleteConnectionResponse> observer) {
        Fakes.reply(observer, () -> {
            connections.remove(request.getName());
            return DeleteConnectionResponse.getDefaultInstance();
        });
    }
}
