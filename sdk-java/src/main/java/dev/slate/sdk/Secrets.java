package dev.slate.sdk;

import com.google.protobuf.ByteString;
import dev.slate.api.secret.v1.DeleteSecretRequest;
import dev.slate.api.secret.v1.GetSecretRequest;
import dev.slate.api.secret.v1.ListSecretsRequest;
import dev.slate.api.secret.v1.SecretsGrpc;
import dev.slate.api.secret.v1.SetSecretRequest;
import dev.slate.sdk.internal.Transport;
import java.time.Instant;
import java.util.List;

/** Named values of the environment, encrypted at rest. Thread-safe. */
public final class Secrets {

    private final Transport transport;

    /** A secret without its value. */
    public record Entry(String name, Instant createdAt, Instant updatedAt) {}

    Secrets(Transport transport) {
        this.transport = transport;
    }

    /** Creates or overwrites. */
    public Entry set(String name, SecretValue value) {
        var request = SetSecretRequest.newBuilder()
                .setName(name)
                .setValue(ByteString.copyFrom(value.revealBytes()))
                .build();
        return entry(transport.call(SecretsGrpc.getSetSecretMethod(), request).getSecret());
    }

    public Entry set(String name, String value) {
        return set(name, SecretValue.of(value));
    }

    public List<Entry> list() {
        return Pages.all(token -> {
            var request = ListSecretsRequest.newBuilder().setPageToken(token).build();
            var reply = transport.call(SecretsGrpc.getListSecretsMethod(), request);
            return new Pages.Page<>(
                    reply.getSecretsList().stream().map(Secrets::entry).toList(), reply.getNextPageToken());
        });
    }

    /** The value; needs the permission {@code secrets.decrypt}. */
    public SecretValue get(String name) {
        var request = GetSecretRequest.newBuilder().setName(name).build();
        var reply = transport.call(SecretsGrpc.getGetSecretMethod(), request);
        return SecretValue.of(reply.getValue().toByteArray());
    }

    public void delete(String name) {
        transport.call(
                SecretsGrpc.getDeleteSecretMethod(),
                DeleteSecretRequest.newBuilder().setName(name).build());
    }

    private static Entry entry(dev.slate.api.secret.v1.Secret secret) {
        return new Entry(secret.getName(), Wire.instant(secret.getCreatedAt()), Wire.instant(secret.getUpdatedAt()));
    }
}
