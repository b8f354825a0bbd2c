package dev.slate.controlplane.secret;

import com.google.protobuf.ByteString;
import dev.slate.api.secret.v1.DeleteSecretRequest;
import dev.slate.api.secret.v1.DeleteSecretResponse;
import dev.slate.api.secret.v1.GetSecretRequest;
import dev.slate.api.secret.v1.GetSecretResponse;
import dev.slate.api.secret.v1.ListSecretsRequest;
import dev.slate.api.secret.v1.ListSecretsResponse;
import dev.slate.api.secret.v1.SetSecretRequest;
import dev.slate.api.secret.v1.SetSecretResponse;
import dev.slate.common.auth.Caller;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.grpc.Timestamps;
import dev.slate.common.secret.SecretValue;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;

/** Serves {@code slate.secret.v1.Secrets}. */
@GrpcService
public class SecretsGrpc extends dev.slate.api.secret.v1.SecretsGrpc.SecretsImplBase {
    private final SecretVault vault;

    SecretsGrpc(SecretVault vault) {
        this.vault = vault;
    }

    @Override
    public void setSecret(SetSecretRequest request, StreamObserver<SetSecretResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            Secret secret = vault.set(
                    Caller.current(),
                    new SecretName(request.getName()),
                    SecretValue.of(request.getValue().toByteArray()));
            return SetSecretResponse.newBuilder().setSecret(message(secret)).build();
        });
    }

    @Override
    public void listSecrets(ListSecretsRequest request, StreamObserver<ListSecretsResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            PageRequest.Page<Secret> page =
                    vault.list(Caller.current(), PageRequest.of(request.getPageSize(), request.getPageToken()));
            return ListSecretsResponse.newBuilder()
                    .addAllSecrets(
                            page.entries().stream().map(SecretsGrpc::message).toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }

    @Override
    public void getSecret(GetSecretRequest request, StreamObserver<GetSecretResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            SecretVault.Revealed revealed = vault.get(Caller.current(), new SecretName(request.getName()));
            return GetSecretResponse.newBuilder()
                    .setSecret(message(revealed.secret()))
                    .setValue(ByteString.copyFrom(revealed.value().reveal()))
                    .build();
        });
    }

    @Override
    public void deleteSecret(DeleteSecretRequest request, StreamObserver<DeleteSecretResponse> observer) {
        GrpcCalls.unary(observer, () -> {
            vault.delete(Caller.current(), new SecretName(request.getName()));
            return DeleteSecretResponse.getDefaultInstance();
        });
    }

    private static dev.slate.api.secret.v1.Secret message(Secret secret) {
        return dev.slate.api.secret.v1.Secret.newBuilder()
                .setName(secret.name().value())
                .setCreatedAt(Timestamps.of(secret.createdAt()))
                .setUpdatedAt(Timestamps.of(secret.updatedAt()))
                .build();
    }
}
