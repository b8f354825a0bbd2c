package dev.slate.egress.policy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Refuses addresses that no sandbox may reach whatever its policy says: private, shared, link-local, loopback,
 * multicast, reserved and metadata ranges, also when an IPv6 address wraps an IPv4 one. The operator can open private
 * ranges for single names; loopback, link-local and metadata stay closed for these too.
 */
public final class AddressGuard {

    private static final List<Cidr> NEVER = ranges(
            "0.0.0.0/8",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "224.0.0.0/4",
            "240.0.0.0/4",
            "198.18.0.0/15",
            "168.63.129.16/32",
            "100.100.100.200/32",
            "192.0.0.192/32",
            "::/128",
            "::1/128",
            "fe80::/10",
            "fec0::/10",
            "ff00::/8",
            "fd00:ec2::/32",
            "fd20:ce::/32");
    private static final List<Cidr> PRIVATE = ranges(
            "10.0.0.0/8",
            "100.64.0.0/10",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "fc00::/7",
            "2001:db8::/32",
            "2001::/32",
            "64:ff9b:1::/48");
    private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");
    private static final List<Cidr> V4_IN_LAST_BYTES =
            ranges("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48");

    private final Set<HostName> privateHosts;
    private final Predicate<InetAddress> exempt;

    /** @param privateHosts names that may have addresses in private ranges */
    public AddressGuard(Set<HostName> privateHosts) {
        this(privateHosts, _ -> false);
    }

    /** For tests, whose hosts live on loopback: an exempt address is always fine. */
    public AddressGuard(Set<HostName> privateHosts, Predicate<InetAddress> exempt) {
        this.privateHosts = Set.copyOf(privateHosts);
        this.exempt = exempt;
    }

    /** Whether this address may be dialled for this host. */
    public boolean allows(Host host, InetAddress address) {
        return allows(host, address, Set.of());
    }

    /** Whether this address may be dialled for this host; further names may have private addresses. */
    public boolean allows(Host host, InetAddress address, Set<HostName> furtherPrivateHosts) {
        if (exempt.test(address)) {
            return true;
        }
        var forms = forms(address.getAddress());
        if (forms.stream().anyMatch(form -> in(NEVER, form))) {
            return false;
        }
        return privateHosts.contains(host)
                || furtherPrivateHosts.contains(host)
                || (!isOwn(address) && forms.stream().noneMatch(form -> in(PRIVATE, form)));
    }

    /** This host's own addresses, public ones too: its services would take the proxy for a local client. */
    private static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            return true;
        }
    }

    /** The address and any IPv4 address wrapped in it. */
    private static List<byte[]> forms(byte[] address) {
        if (address.length == 4) {
            return List.of(address);
        }
        if (SIX_TO_FOUR.contains(address)) {
            return List.of(address, Arrays.copyOfRange(address, 2, 6));
        }
        return in(V4_IN_LAST_BYTES, address) ? List.of(address, Arrays.copyOfRange(address, 12, 16)) : List.of(address);
    }

    private static boolean in(List<Cidr> ranges, byte[] address) {
        return ranges.stream().anyMatch(range -> range.contains(address));
    }

    private static List<Cidr> ranges(String... texts) {
        return Stream.of(texts).map(Cidr::parse).toList();
    }
}
