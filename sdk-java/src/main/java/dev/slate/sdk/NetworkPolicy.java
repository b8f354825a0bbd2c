package dev.slate.sdk;

import java.util.List;

/**
 * What a sandbox may reach: the open internet, or the listed hosts and nothing else.
 *
 * <p>A host is {@code api.example.com}, {@code *.example.com} (any depth, not {@code example.com} itself), either with
 * {@code :port}. Private and metadata addresses are never reachable.
 */
public final class NetworkPolicy {

    private static final NetworkPolicy OPEN = new NetworkPolicy(true, List.of());

    private final boolean open;
    private final List<String> hosts;

    private NetworkPolicy(boolean open, List<String> hosts) {
        this.open = open;
        this.hosts = List.copyOf(hosts);
    }

    /** The public internet. */
    public static NetworkPolicy open() {
        return OPEN;
    }

    /** These hosts only; with none, nothing is reachable and no name resolves. */
    public static NetworkPolicy allowedHosts(String... hosts) {
        return allowedHosts(List.of(hosts));
    }

    public static NetworkPolicy allowedHosts(List<String> hosts) {
        return new NetworkPolicy(false, hosts);
    }

    public boolean isOpen() {
        return open;
    }

    /** Empty when open. */
    public List<String> hosts() {
        return hosts;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NetworkPolicy that && open == that.open && hosts.equals(that.hosts);
    }

    @Override
    public int hashCode() {
        return Boolean.hashCode(open) + 31 * hosts.hashCode();
    }

    @Override
    public String toString() {
        return open ? "open" : "allowed hosts " + hosts;
    }
}
