package dev.slate.controlplane.policy;

import dev.slate.api.egress.v1.NetworkPolicy.Mode;
import dev.slate.common.error.PlatformException;
import java.util.TreeSet;

/** Translates policies between the domain and the wire. */
public final class NetworkPolicyProto {
    private NetworkPolicyProto() {}

    /** Parses and checks what a client sent. */
    public static NetworkPolicy parse(dev.slate.api.egress.v1.NetworkPolicy message) {
        return switch (message.getMode()) {
            case MODE_OPEN -> {
                if (message.getAllowedHostsCount() > 0) {
                    throw PlatformException.invalid(
                            "network policy", "open with allowed hosts", "either open or allowed hosts, not both");
                }
                yield new NetworkPolicy.Open();
            }
            case MODE_ALLOWLIST -> {
                TreeSet<HostRule> hosts = new TreeSet<>();
                message.getAllowedHostsList().forEach(host -> hosts.add(HostRule.parse(host)));
                yield new NetworkPolicy.Allowlist(hosts);
            }
            case MODE_UNSPECIFIED, UNRECOGNIZED ->
                throw PlatformException.invalid("network policy mode", message.getMode(), "open or allowlist");
        };
    }

    /** Renders a policy. */
    public static dev.slate.api.egress.v1.NetworkPolicy render(NetworkPolicy policy) {
        return switch (policy) {
            case NetworkPolicy.Open() ->
                dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                        .setMode(Mode.MODE_OPEN)
                        .build();
            case NetworkPolicy.Allowlist(var hosts) ->
                dev.slate.api.egress.v1.NetworkPolicy.newBuilder()
                        .setMode(Mode.MODE_ALLOWLIST)
                        .addAllAllowedHosts(hosts.stream().map(HostRule::text).toList())
                        .build();
        };
    }
}
