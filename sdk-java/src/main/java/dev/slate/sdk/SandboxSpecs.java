package dev.slate.sdk;

import dev.slate.api.egress.v1.NetworkPolicy.Mode;

/** Parts of a sandbox's specification, between the wire and Java. */
final class SandboxSpecs {

    private SandboxSpecs() {}

    static dev.slate.api.egress.v1.NetworkPolicy policy(NetworkPolicy policy) {
        return dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                .setMode(policy.isOpen() ? Mode.MODE_OPEN : Mode.MODE_ALLOWLIST)
                .addAllAllowedHosts(policy.hosts())
                .build();
    }

    /** An unset mode reads as the tightest policy. */
    static NetworkPolicy policy(dev.slate.api.egress.v1.NetworkPolicy policy) {
        return policy.getMode() == Mode.MODE_OPEN
                ? NetworkPolicy.open()
                : NetworkPolicy.allowedHosts(policy.getAllowedHostsList());
    }
}
