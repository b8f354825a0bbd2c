package dev.slate.egress.policy;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Addresses that a sandbox may reach although they are private or no host entry names them. No ports means all.
 * Loopback, link-local and metadata addresses stay out of reach, also where a route covers them.
 */
public record Route(Cidr range, List<PortRange> ports) {

    public Route {
        ports = List.copyOf(ports);
        AddressGuard.never(range).ifPresent(never -> {
            throw new IllegalArgumentException(
                    "route: " + range + " (expected: a range outside of " + never + ", which no sandbox can reach)");
        });
    }

    boolean covers(InetAddress address, int port) {
        return range.contains(address.getAddress())
                && (ports.isEmpty() || ports.stream().anyMatch(range -> range.contains(port)));
    }

    @Override
    public String toString() {
        return range
                + (ports.isEmpty()
                        ? ""
                        : ":" + ports.stream().map(PortRange::toString).collect(Collectors.joining(",")));
    }
}
