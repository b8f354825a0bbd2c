package dev.slate.testing;

import dev.slate.api.identity.v1.CreateServiceTokenRequest;
import dev.slate.api.identity.v1.CreateServiceTokenResponse;
import dev.slate.api.identity.v1.GetConfigurationRequest;
import dev.slate.api.identity.v1.GetConfigurationResponse;
import dev.slate.api.identity.v1.IdentityGrpc;
import dev.slate.api.identity.v1.ListServiceTokensRequest;
import dev.slate.api.identity.v1.ListServiceTokensResponse;
import dev.slate.api.identity.v1.RevokeServiceTokenRequest;
import dev.slate.api.identity.v1.RevokeServiceTokenResponse;
import dev.slate.api.identity.v1.ServiceToken;
import dev.slate.api.identity.v1.WhoAmIRequest;
import dev.slate.api.identity.v1.WhoAmIResponse;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps what it is told. */
final class FakeIdentity extends IdentityGrpc.IdentityImplBase {

    private final Map<String, ServiceToken> tokens = new ConcurrentSkipListMap<>();

    @Override
    public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> observer) {
        Fakes.reply(
                observer,
                () -> WhoAmIResponse.newBuilder()
                        .setSubject("user-1")
                        .setDisplayName("Owner")
                        .setTeam("team")
                        .setProject("project")
                        .setEnvironmentId("5d1a2c1e-0000-4000-8000-000000000001")
                        .setEnvironmentName("default")
                        .setRole("Owner")
                        .addPermissions("deploy.create")
                        .addPermissions("deploy.read")
                        .build());
    }

    @Override
    public void getConfiguration(GetConfigurationRequest request, StreamObserver<GetConfigurationResponse> observer) {
        Fakes.reply(
                observer,
                () -> GetConfigurationResponse.newBuilder()
                        .setPlatformHost("api.slate.internal")
                        .setVersion("0.1.0")
                        .build());
    }

    @Override
    public void createServiceToken(
            CreateServiceTokenRequest request, StreamObserver<CreateServiceTokenResponse> observer) {
        Fakes.reply(observer, () -> {
            var token = ServiceToken.newBuilder()
                    .setClientId("client-" + (tokens.size() + 1))
                    .setDescription(request.getDescription())
                    .addAllPermissions(request.getPermissionsList())
                    .setCreatedAt(Fakes.TIME)
                    .build();
            tokens.put(token.getClientId(), token);
            return CreateServiceTokenResponse.newBuilder()
                    .setToken(token)
                    .setClientSecret("made secret")
                    .build();
        });
    }

    @Override
    public void listServiceTokens(
            ListServiceTokensRequest request, StreamObserver<ListServiceTokensResponse> observer) {
        Fakes.reply(
                observer,
                () -> ListServiceTokensResponse.newBuilder()
                        .addAllTokens(tokens.values())
                        .build());
    }

    @Override
    public void revokeServiceToken(
            RevokeServiceTokenRequest request, StreamObserver<RevokeServiceTokenResponse> observer) {
        Fakes.reply(observer, () -> {
            tokens.computeIfPresent(
                    request.getClientId(),
                    (_, token) -> token.toBuilder().setRevoked(true).build());
            return RevokeServiceTokenResponse.getDefaultInstance();
        });
    }
}
