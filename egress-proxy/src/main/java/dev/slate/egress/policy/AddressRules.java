package dev.slate.egress.policy;

import dev.slate.egress.host.HostName;
import java.util.List;
import java.util.Set;

/**
 * What one sandbox may dial beyond public addresses, and what it may not dial at all.
 *
 * @param privateHosts names that may have private addresses
 * @param denied ranges that win over everything else
 */
public record AddressRules(Set<HostName> privateHosts, List<Route> routes, List<Cidr> denied) {

    /** Public addresses, and no others. */
    public static final AddressRules NONE = new AddressRules(Set.of(), List.of(), List.of());

    public AddressRules {
        privateHosts = Set.copyOf(privateHosts);
        routes = List.copyOf(routes);
        denied = List.copyOf(denied);
    }
}
