package dev.slate.controlplane.identity;

import dev.slate.api.identity.v1.CreateServiceTokenRequest;
import dev.slate.api.identity.v1.CreateServiceTokenResponse;
import dev.slate.api.identity.v1.GetConfigurationRequest;
import dev.slate.api.identity.v1.GetConfigurationResponse;
import dev.slate.api.identity.v1.ListServiceTokensRequest;
import dev.slate.api.identity.v1.ListServiceTokensResponse;
import dev.slate.api.identity.v1.RevokeServiceTokenRequest;
import dev.slate.api.identity.v1.RevokeServiceTokenResponse;
import dev.slate.api.identity.v1.WhoAmIRequest;
import dev.slate.api.identity.v1.WhoAmIResponse;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.config.PlatformConfig;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.grpc.Timestamps;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Serves {@code slate.identity.v1.Identity}. */
@GrpcService
public class IdentityGrpc extends dev.slate.api.identity.v1.IdentityGrpc.IdentityImplBase {
    private final Environments environments;
    private final ServiceTokens serviceTokens;
    private final PlatformConfig platform;
    private final String version;

    IdentityGrpc(
            Environments environments,
            ServiceTokens serviceTokens,
            PlatformConfig platform,
            @ConfigProperty(name = "quarkus.application.version", defaultValue = "unknown") String version) {
        this.environments = environments;
        this.serviceTokens = serviceTokens;
        this.platform = platform;
        this.version = version;
    }

    @Override
    public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller caller = Caller.current();
            Environment environment = environments.get(caller.environment());
            return WhoAmIResponse.newBuilder()
                    .setSubject(caller.subject())
                    .setDisplayName(caller.displayName())
                    .setTeam(environment.team())
                    .setProject(environment.project())
                    .setEnvironmentId(environment.id())
                    .setEnvironmentName(environment.name())
                    .setRole(caller.role())
                    .addAllPermissions(caller.permissions().stream()
                            .map(Permission::wireName)
                            .sorted()
                            .toList())
                    .build();
        });
    }

    @Override
    public void getConfiguration(GetConfigurationRequest request, StreamObserver<GetConfigurationResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Caller.current();
            return GetConfigurationResponse.newBuilder()
                    .setPlatformHost(platform.host())
                    .setVersion(version)
                    .build();
        });
    }

    @Override
    public void createServiceToken(
            CreateServiceTokenRequest request, StreamObserver<CreateServiceTokenResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            ServiceTokens.Created created = serviceTokens.create(
                    Caller.current(),
                    request.getDescription(),
                    request.getPermissionsList().stream().map(Permission::named).collect(Collectors.toSet()));
            return CreateServiceTokenResponse.newBuilder()
                    .setToken(message(created.token()))
                    .setClientSecret(created.secret().revealText())
                    .build();
        });
    }

    @Override
    public void listServiceTokens(
            ListServiceTokensRequest request, StreamObserver<ListServiceTokensResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            PageRequest.Page<ServiceToken> page =
                    serviceTokens.list(Caller.current(), PageRequest.of(request.getPageSize(), request.getPageToken()));
            return ListServiceTokensResponse.newBuilder()
                    .addAllTokens(
                            page.entries().stream().map(IdentityGrpc::message).toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    @Override
    public void revokeServiceToken(
            RevokeServiceTokenRequest request, StreamObserver<RevokeServiceTokenResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            serviceTokens.revoke(Caller.current(), request.getClientId());
            return RevokeServiceTokenResponse.getDefaultInstance();
        });
    }

    private static dev.slate.api.identity.v1.ServiceToken message(ServiceToken token) {
        return dev.slate.api.identity.v1.ServiceToken.newBuilder()
                .setClientId(token.clientId())
                .setDescription(token.description())
                .addAllPermissions(token.permissions().stream()
                        .map(Permission::wireName)
                        .sorted()
                        .toList())
                .setCreatedAt(Timestamps.of(token.createdAt()))
                .setRevoked(token.revoked())
                .build();
    }
}
