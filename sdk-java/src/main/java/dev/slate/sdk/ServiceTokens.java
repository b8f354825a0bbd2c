package dev.slate.sdk;

import dev.slate.api.identity.v1.CreateServiceTokenRequest;
import dev.slate.api.identity.v1.IdentityGrpc;
import dev.slate.api.identity.v1.ListServiceTokensRequest;
import dev.slate.api.identity.v1.RevokeServiceTokenRequest;
import dev.slate.sdk.internal.Transport;
import java.time.Instant;
import java.util.List;

/** Client ids and secrets with which programs sign in. Thread-safe. */
public final class ServiceTokens {

    private final Transport transport;

    /** A service token without its secret. */
    public record Entry(
            String clientId, String description, List<String> permissions, Instant createdAt, boolean revoked) {}

    /** A new service token; the secret is never shown again. */
    public record Created(Entry token, SecretValue clientSecret) {}

    ServiceTokens(Transport transport) {
        this.transport = transport;
    }

    /** Permissions are names such as {@code deploy.create}, none that the caller lacks. */
    public Created create(String description, List<String> permissions) {
        var request = CreateServiceTokenRequest.newBuilder()
                .setDescription(description)
                .addAllPermissions(permissions)
                .build();
        var reply = transport.call(IdentityGrpc.getCreateServiceTokenMethod(), request);
        return new Created(entry(reply.getToken()), SecretValue.of(reply.getClientSecret()));
    }

    public List<Entry> list() {
        return Pages.all(token -> {
            var request =
                    ListServiceTokensRequest.newBuilder().setPageToken(token).build();
            var reply = transport.call(IdentityGrpc.getListServiceTokensMethod(), request);
            return new Pages.Page<>(
                    reply.getTokensList().stream().map(ServiceTokens::entry).toList(), reply.getNextPageToken());
        });
    }

    /** Revoking twice succeeds. */
    public void revoke(String clientId) {
        transport.call(
                IdentityGrpc.getRevokeServiceTokenMethod(),
                RevokeServiceTokenRequest.newBuilder().setClientId(clientId).build());
    }

    private static Entry entry(dev.slate.api.identity.v1.ServiceToken token) {
        return new Entry(
                token.getClientId(),
                token.getDescription(),
                List.copyOf(token.getPermissionsList()),
                Wire.instant(token.getCreatedAt()),
                token.getRevoked());
    }
}
