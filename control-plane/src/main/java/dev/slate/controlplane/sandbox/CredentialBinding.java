package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.policy.HostRule;
import java.util.List;

/** A secret that the proxy puts into requests to some hosts, in place of the placeholder in a variable. */
public record CredentialBinding(List<HostRule> hosts, String secret, String variable) {
    public CredentialBinding {
        hosts = List.copyOf(hosts);
        if (hosts.isEmpty()) {
            throw PlatformException.invalid("credential hosts", "none", "at least one host");
        }
        VariableName.require("secret", secret);
        VariableName.require("credential variable", variable);
        for (HostRule host : hosts) {
            if (host.isWildcard() || host.text().contains(":")) {
                throw PlatformException.invalid(
                        "credential host", host, "an exact name without a port; credentials travel to port 443 only");
            }
        }
    }
}
