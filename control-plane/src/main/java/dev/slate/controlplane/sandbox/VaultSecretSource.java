package dev.slate.controlplane.sandbox;

import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.secret.SecretVault;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Takes secrets from the vault. */
@Singleton
class VaultSecretSource implements SecretSource {
    private final SecretVault vault;

    VaultSecretSource(SecretVault vault) {
        this.vault = vault;
    }

    @Override
    public Optional<SecretValue> reveal(String environment, String name) {
        return vault.reveal(environment, name);
    }
}
