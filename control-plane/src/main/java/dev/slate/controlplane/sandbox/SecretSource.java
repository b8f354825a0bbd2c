package dev.slate.controlplane.sandbox;

import dev.slate.common.secret.SecretValue;
import java.util.Optional;

/** The secrets of environments as sandboxes need them. Thread-safe. */
@FunctionalInterface
interface SecretSource {
    /** The value now, empty when there is no such secret. */
    Optional<SecretValue> reveal(String environment, String name);
}
