package dev.slate.egress.policy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Refuses addresses that a sandbox may not reach: private, shared, link-local, loopback, multicast, reserved and
 * metadata ranges, also when an IPv6 address wraps an IPv4 one, and what its policy denies. A route of the policy opens
 * private ranges, and the operator opens them for single names; loopback, link-local and metadata stay closed for these
 * too, and a route never leads to the platform's own host or to other sandboxes. Immutable.
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
    private final List<Cidr> platform;
    private final Predicate<InetAddress> exempt;

    /** What becomes of an address. */
    public sealed interface Verdict {

        /** It may be dialled. */
        record Fine() implements Verdict {}

        /** It may not; {@code rule} says which range and what would change that. */
        record Refused(Reason reason, String rule) implements Verdict {}
    }

    /**
     * @param privateHosts names that may have addresses in private ranges
     * @param platform ranges of the platform itself, such as the addresses of other sandboxes
     */
    public AddressGuard(Set<HostName> privateHosts, Collection<Cidr> platform) {
        this(privateHosts, platform, _ -> false);
    }

    /** For tests, whose hosts live on loopback: an exempt address is fine unless the policy denies it. */
    public AddressGuard(Set<HostName> privateHosts, Collection<Cidr> platform, Predicate<InetAddress> exempt) {
        this.privateHosts = Set.copyOf(privateHosts);
        this.platform = List.copyOf(platform);
        this.exempt = exempt;
    }

    /** Whether this address may be dialled for this host on this port. */
    public Verdict check(Host host, InetAddress address, int port, AddressRules rules) {
        var forms = forms(address.getAddress());
        var denied = range(rules.denied(), forms);
        if (denied.isPresent()) {
            return refused(Reason.ADDRESS_DENIED, address, "in " + denied.get() + ", which the policy denies");
        }
        if (exempt.test(address)) {
            return new Verdict.Fine();
        }
        var never = range(NEVER, forms);
        if (never.isPresent()) {
            return refused(Reason.ADDRESS_REFUSED, address, "in " + never.get() + ", which no sandbox can reach");
        }
        if (privateHosts.contains(host) || rules.privateHosts().contains(host)) {
            return new Verdict.Fine();
        }
        var ours = range(platform, forms);
        if (ours.isPresent() || isOwn(address)) {
            return refused(Reason.ADDRESS_REFUSED, address, "of the platform itself");
        }
        var inside = range(PRIVATE, forms);
        if (inside.isEmpty() || rules.routes().stream().anyMatch(route -> route.covers(address, port))) {
            return new Verdict.Fine();
        }
        return refused(
                Reason.ADDRESS_REFUSED,
                address,
                "private, in " + inside.get() + ", and no route of the policy covers it");
    }

    /** The range that all of this one lies in and that no sandbox can reach. */
    static Optional<Cidr> never(Cidr range) {
        return NEVER.stream().filter(never -> never.contains(range)).findFirst();
    }

    /** Why a literal address cannot be an entry for a host, empty if it can. */
    static Optional<String> notPublic(InetAddress address) {
        var forms = forms(address.getAddress());
        return range(NEVER, forms)
                .map(range -> "an address outside of " + range + ", which no sandbox can reach")
                .or(() -> range(PRIVATE, forms)
                        .map(range -> "a public address; " + range + " is private and takes a route, "
                                + address.getHostAddress() + "/32"));
    }

    private static Verdict refused(Reason reason, InetAddress address, String why) {
        return new Verdict.Refused(reason, address.getHostAddress() + " is " + why);
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
        return V4_IN_LAST_BYTES.stream().anyMatch(range -> range.contains(address))
                ? List.of(address, Arrays.copyOfRange(address, 12, 16))
                : List.of(address);
    }

    private static Optional<Cidr> range(List<Cidr> ranges, List<byte[]> forms) {
        return ranges.stream()
                .filter(range -> forms.stream().anyMatch(range::contains))
                .findFirst();
    }

    private static List<Cidr> ranges(String... texts) {
        return Stream.of(texts).map(Cidr::parse).toList();
    }
}
