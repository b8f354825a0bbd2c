package dev.slate.controlplane.router;

import dev.slate.api.router.v1.ApiKey;
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
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.grpc.Timestamps;
import dev.slate.common.secret.SecretValue;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.util.Optional;

/** Serves {@code slate.router.v1.RouterAdmin}. */
@GrpcService
public class RouterAdminGrpc extends dev.slate.api.router.v1.RouterAdminGrpc.RouterAdminImplBase {
    private final GatewayKeys keys;
    private final Connections connections;
    private final ModelCatalog models;

    RouterAdminGrpc(GatewayKeys keys, Connections connections, ModelCatalog models) {
        this.keys = keys;
        this.connections = connections;
        this.models = models;
    }

    @Override
    public void createApiKey(CreateApiKeyRequest request, StreamObserver<CreateApiKeyResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            GatewayKeys.Created created = keys.create(Caller.current(), request.getDescription());
            return CreateApiKeyResponse.newBuilder()
                    .setApiKey(message(created.record()))
                    .setKey(created.key().revealText())
                    .build();
        });
    }

    @Override
    public void listApiKeys(ListApiKeysRequest request, StreamObserver<ListApiKeysResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            PageRequest.Page<GatewayKey> page =
                    keys.list(Caller.current(), PageRequest.of(request.getPageSize(), request.getPageToken()));
            return ListApiKeysResponse.newBuilder()
                    .addAllApiKeys(page.entries().stream()
                            .map(RouterAdminGrpc::message)
                            .toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    @Override
    public void revokeApiKey(RevokeApiKeyRequest request, StreamObserver<RevokeApiKeyResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            keys.revoke(Caller.current(), request.getHash());
            return RevokeApiKeyResponse.getDefaultInstance();
        });
    }

    @Override
    public void listModels(ListModelsRequest request, StreamObserver<ListModelsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current().require(Permission.ROUTER_READ);
            ModelCatalog.Listing listing = models.list(caller.environment());
            return ListModelsResponse.newBuilder()
                    .addAllModels(listing.models().stream()
                            .map(model -> Model.newBuilder()
                                    .setId(model.id())
                                    .setConnection(model.connection())
                                    .build())
                            .toList())
                    .putAllUnreachable(listing.unreachable())
                    .build();
        });
    }

    @Override
    public void putConnection(PutConnectionRequest request, StreamObserver<PutConnectionResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current();
            Connection connection = Connection.parse(
                    request.getConnection().getName(),
                    request.getConnection().getBaseUrl(),
                    request.getConnection().getModelPrefix());
            Optional<SecretValue> key = request.getKey().isEmpty()
                    ? Optional.empty()
                    : Optional.of(SecretValue.of(request.getKey().toByteArray()));
            ConnectionStore.Stored stored = key.isEmpty() && request.getKeepKey()
                    ? connections.putKeepingKey(caller, connection)
                    : connections.put(caller, connection, key);
            return PutConnectionResponse.newBuilder()
                    .setConnection(message(stored))
                    .build();
        });
    }

    @Override
    public void listConnections(ListConnectionsRequest request, StreamObserver<ListConnectionsResponse> observer) {
        GrpcCalls.unary(
                observer,
                () -> ListConnectionsResponse.newBuilder()
                        .addAllConnections(connections.list(Caller.current()).stream()
                                .map(RouterAdminGrpc::message)
                                .toList())
                        .build());
    }

    @Override
    public void deleteConnection(DeleteConnectionRequest request, StreamObserver<DeleteConnectionResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            connections.delete(Caller.current(), request.getName());
            return DeleteConnectionResponse.getDefaultInstance();
        });
    }

    private static ApiKey message(GatewayKey key) {
        return ApiKey.newBuilder()
                .setHash(key.hash())
                .setPrefix(key.prefix())
                .setDescription(key.description())
                .setCreatedAt(Timestamps.of(key.createdAt()))
                .setRevoked(key.revoked())
                .build();
    }

    private static dev.slate.api.router.v1.Connection message(ConnectionStore.Stored stored) {
        return dev.slate.api.router.v1.Connection.newBuilder()
                .setName(stored.connection().name())
                .setBaseUrl(stored.connection().baseUrl().toString())
                .setModelPrefix(stored.connection().modelPrefix())
                .setHasKey(stored.key().isPresent())
                .setCreatedAt(Timestamps.of(stored.createdAt()))
                .build();
    }
}
