package dev.slate.testing;

import com.google.protobuf.ByteString;
import dev.slate.api.secret.v1.DeleteSecretRequest;
import dev.slate.api.secret.v1.DeleteSecretResponse;
import dev.slate.api.secret.v1.GetSecretRequest;
import dev.slate.api.secret.v1.GetSecretResponse;
import dev.slate.api.secret.v1.ListSecretsRequest;
import dev.slate.api.secret.v1.ListSecretsResponse;
import dev.slate.api.secret.v1.Secret;
import dev.slate.api.secret.v1.SecretsGrpc;
import dev.slate.api.secret.v1.SetSecretRequest;
import dev.slate.api.secret.v1.SetSecretResponse;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.ConcurrentSkipListMap;

/** Lists one secret a page, so that clients must read on. */
final class FakeSecrets extends SecretsGrpc.SecretsImplBase {

    private final ConcurrentSkipListMap<String, ByteString> secrets = new ConcurrentSkipListMap<>();

    @Override
    public void setSecret(SetSecretRequest request, StreamObserver<SetSecretResponse> observer) {
        Fakes.reply(observer, () -> {
            secrets.put(request.getName(), request.getValue());
            return SetSecretResponse.newBuilder()
                    .setSecret(secret(request.getName()))
                    .build();
        });
    }

    @Override
    public void listSecrets(ListSecretsRequest request, StreamObserver<ListSecretsResponse> observer) {
        Fakes.reply(observer, () -> {
            var reply = ListSecretsResponse.newBuilder();
            var name = secrets.higherKey(request.getPageToken());
            if (name != null) {
                reply.addSecrets(secret(name)).setNextPageToken(secrets.higherKey(name) == null ? "" : name);
            }
            return reply.build();
        });
    }

    @Override
    public void getSecret(GetSecretRequest request, StreamObserver<GetSecretResponse> observer) {
        Fakes.reply(observer, () -> {
            var value = secrets.get(request.getName());
            if (value == null) {
                throw Fakes.notFound("secret " + request.getName());
            }
            return GetSecretResponse.newBuilder()
                    .setSecret(secret(request.getName()))
                    .setValue(value)
                    .build();
        });
    }

    @Override
    public void deleteSecret(DeleteSecretRequest request, StreamObserver<DeleteSecretResponse> observer) {
        Fakes.reply(observer, () -> {
            if (secrets.remove(request.getName()) == null) {
                throw Fakes.notFound("secret " + request.getName());
            }
            return DeleteSecretResponse.getDefaultInstance();
        });
    }

    private static Secret secret(String name) {
        return Secret.newBuilder()
                .setName(name)
                .setCreatedAt(Fakes.TIME)
                .setUpdatedAt(Fakes.TIME)
                .build();
    }
}
