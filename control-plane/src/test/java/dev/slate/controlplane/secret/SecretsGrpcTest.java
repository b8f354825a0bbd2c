package dev.slate.controlplane.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.slate.api.secret.v1.DeleteSecretRequest;
import dev.slate.api.secret.v1.GetSecretRequest;
import dev.slate.api.secret.v1.ListSecretsRequest;
import dev.slate.api.secret.v1.SetSecretRequest;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.GrpcCall;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsGrpcTest {
    private final FakeSecretStore store = new FakeSecretStore();
    private final List<SecretChanged> changes = new ArrayList<>();
    private final SecretVault vault =
            new SecretVault(store, new Envelopes(SecretValue.of(new byte[32])), Clock.systemUTC(), changes::add);
    private final SecretsGrpc secrets = new SecretsGrpc(vault);
    private final GrpcCall owner = GrpcCall.with(EnumSet.allOf(Permission.class));

    @Test
    void aSecretComesBackToThoseWhoMayDecrypt() {
        set("KEY", "value-1");
        set("KEY", "value-2");

        var reply = owner.call(GetSecretRequest.newBuilder().setName("KEY").build(), secrets::getSecret);

        assertThat(reply.getValue().toStringUtf8()).isEqualTo("value-2");
        assertThat(vault.reveal(GrpcCall.ENVIRONMENT, "KEY")).contains(SecretValue.of("value-2"));
        assertThat(vault.reveal("another environment", "KEY")).isEmpty();
        assertThat(changes).hasSize(2).containsOnly(new SecretChanged(GrpcCall.ENVIRONMENT, "KEY"));
    }

    @Test
    void listsNamesInPages() {
        set("A", "a");
        set("B", "b");
        set("C", "c");

        var first = owner.call(ListSecretsRequest.newBuilder().setPageSize(2).build(), secrets::listSecrets);
        var second = owner.call(
                ListSecretsRequest.newBuilder()
                        .setPageSize(2)
                        .setPageToken(first.getNextPageToken())
                        .build(),
                secrets::listSecrets);

        assertThat(first.getSecretsList())
                .extracting(secret -> secret.getName())
                .containsExactly("A", "B");
        assertThat(second.getSecretsList())
                .extracting(secret -> secret.getName())
                .containsExactly("C");
        assertThat(second.getNextPageToken()).isEmpty();
    }

    @Test
    void deletingForgetsTheValue() {
        set("KEY", "value");

        owner.call(DeleteSecretRequest.newBuilder().setName("KEY").build(), secrets::deleteSecret);

        assertThat(vault.reveal(GrpcCall.ENVIRONMENT, "KEY")).isEmpty();
        assertThat(owner.refusal(DeleteSecretRequest.newBuilder().setName("KEY").build(), secrets::deleteSecret))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "top-secret\r", "top-secret\n", "top\nsecret", "top\0secret"})
    void refusesValuesThatCouldBreakOutOfAHeader(String value) {
        assertThatThrownBy(() -> set("KEY", value))
                .isInstanceOf(PlatformException.class)
                .hasMessageStartingWith("value: ")
                .hasMessageNotContaining("top");
    }

    @Test
    void refusesValuesOverTheLimit() {
        set("KEY", "x".repeat(8192));

        assertThatThrownBy(() -> set("KEY", "x".repeat(8193)))
                .hasMessage("value: 8193 bytes (expected: 1 to 8192 bytes)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1KEY", "MY-KEY", "KEY ", "../KEY", "Ключ"})
    void refusesNamesThatAreNoVariableNames(String name) {
        assertThatThrownBy(() -> set(name, "value"))
                .isInstanceOf(PlatformException.class)
                .hasMessageStartingWith("name: ");
    }

    @Test
    void eachCallNeedsItsPermission() {
        set("KEY", "value");

        assertThat(GrpcCall.without(Permission.SECRETS_DECRYPT)
                        .refusal(GetSecretRequest.newBuilder().setName("KEY").build(), secrets::getSecret))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(GrpcCall.without(Permission.SECRETS_LIST)
                        .refusal(ListSecretsRequest.getDefaultInstance(), secrets::listSecrets))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        GrpcCall reader = GrpcCall.without(Permission.SECRETS_WRITE);
        assertThat(reader.refusal(request("KEY", "other"), secrets::setSecret)).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(reader.refusal(
                        DeleteSecretRequest.newBuilder().setName("KEY").build(), secrets::deleteSecret))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(GrpcCall.with(Set.of()).refusal(ListSecretsRequest.getDefaultInstance(), secrets::listSecrets))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(GrpcCall.anonymous().refusal(ListSecretsRequest.getDefaultInstance(), secrets::listSecrets))
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    private void set(String name, String value) {
        owner.call(request(name, value), secrets::setSecret);
    }

    private static SetSecretRequest request(String name, String value) {
        return SetSecretRequest.newBuilder()
                .setName(name)
                .setValue(ByteString.copyFromUtf8(value))
                .build();
    }
}
