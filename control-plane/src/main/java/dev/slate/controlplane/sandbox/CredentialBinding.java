package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;
import java.util.List;

/** A secret that the proxy puts into requests to some hosts, in place of the placeholder in a variable. */
public record CredentialBinding(List<String> hosts, String secret, String variable) {
    public CredentialBinding {
        hosts = List.copyOf(hosts);
        if (hosts.isEmpty()) {
            throw PlatformException.invalid("credential hosts", "none", "at least one host");
        }
        VariableName.require("secret", secret);
        VariableName.require("credential variable", variable);
    }

    CredentialBinding at(List<String> canonicalHosts) {
        return new CredentialBinding(canonicalHosts, secret, variable);
    }
}
