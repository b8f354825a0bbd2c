package dev.slate.egress.credential;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.host.HostName;
import java.util.Optional;
import java.util.Set;

/**
 * A secret that requests to some hosts may carry. An empty value means that the secret is gone: requests with its
 * placeholder are refused, never forwarded.
 */
public record Credential(String name, Placeholder placeholder, Set<HostName> hosts, Optional<SecretValue> value) {

    private static final int MAX_LENGTH = 8192;

    public Credential {
        hosts = Set.copyOf(hosts);
        if (hosts.isEmpty()) {
            throw new IllegalArgumentException("credential " + name + ": no hosts (expected: at least one)");
        }
        if (value.isPresent() && !isHeaderText(value.get())) {
            throw new IllegalArgumentException("credential " + name
                    + ": a value that no header can carry (expected: 1 to 8192 printable ASCII characters)");
        }
    }

    private static boolean isHeaderText(SecretValue secret) {
        if (secret.length() < 1 || secret.length() > MAX_LENGTH) {
            return false;
        }
        for (var b : secret.reveal()) {
            if (b < 0x20 || b > 0x7e) {
                return false;
            }
        }
        return true;
    }
}
