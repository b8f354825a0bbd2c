package dev.slate.egress.host;

import com.google.common.net.InternetDomainName;
import java.net.IDN;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One entry of an allowlist: {@code name}, {@code *.name} (any depth, never the name itself) or an IPv4 literal, each
 * with an optional {@code :port}. Without a port it stands for 443 and 80.
 */
public record HostPattern(Host host, boolean subdomains, OptionalInt port) {

    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    /** Characters whose ASCII form differs between the two IDNA generations. */
    private static final Pattern AMBIGUOUS = Pattern.compile("[\\u00df\\u03c2\\u200c\\u200d]");

    public HostPattern {
        if (subdomains && !(host instanceof HostName name && name.labels() >= 2)) {
            throw new IllegalArgumentException(refusal("*." + host, "a wildcard below a name of at least two labels"));
        }
    }

    /**
     * Parses an entry as a user writes it and keeps its canonical form.
     *
     * @throws IllegalArgumentException with the entry and what was expected instead
     */
    public static HostPattern parse(String text) {
        refuseOtherSyntax(text);
        var colon = text.indexOf(':');
        var port = colon < 0 ? OptionalInt.empty() : OptionalInt.of(port(text, text.substring(colon + 1)));
        var name = colon < 0 ? text : text.substring(0, colon);
        var wildcard = name.startsWith("*.");
        var rest = wildcard ? name.substring(2) : name;
        if (rest.contains("*")) {
            throw new IllegalArgumentException(refusal(text, "'*' only as the whole first label, as in *.example.com"));
        }
        var host = host(ascii(text, rest));
        if (wildcard && host instanceof HostName below && isPublicSuffix(below)) {
            throw new IllegalArgumentException(
                    refusal(text, "a wildcard below a name that somebody owns; anybody can register below " + below));
        }
        return new HostPattern(host, wildcard, port);
    }

    /** The entries that could allow this host on this port, the narrowest first: a lookup key list, not a search. */
    public static Stream<HostPattern> candidates(Host host, int port) {
        var exact = ports(port).map(p -> new HostPattern(host, false, p));
        if (!(host instanceof HostName name)) {
            return exact;
        }
        var parents = Stream.iterate(name.parent(), Optional::isPresent, p -> p.flatMap(HostName::parent))
                .flatMap(Optional::stream)
                .filter(parent -> parent.labels() >= 2);
        return Stream.concat(exact, parents.flatMap(p -> ports(port).map(q -> new HostPattern(p, true, q))));
    }

    /** The entries without a port that are about this host, the narrowest first. */
    public static Stream<HostPattern> onAnyPort(Host host) {
        return candidates(host, 443).filter(pattern -> pattern.port().isEmpty());
    }

    @Override
    public String toString() {
        return (subdomains ? "*." : "") + host + (port.isPresent() ? ":" + port.getAsInt() : "");
    }

    private static Stream<OptionalInt> ports(int port) {
        var listed = OptionalInt.of(port);
        return port == 443 || port == 80 ? Stream.of(listed, OptionalInt.empty()) : Stream.of(listed);
    }

    private static Host host(String name) {
        try {
            return Host.parse(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("allowed " + e.getMessage(), e);
        }
    }

    private static boolean isPublicSuffix(HostName name) {
        return InternetDomainName.isValid(name.value())
                && InternetDomainName.from(name.value()).isPublicSuffix();
    }

    private static void refuseOtherSyntax(String text) {
        if (text.contains("://")) {
            throw new IllegalArgumentException(refusal(text, "a host without a scheme"));
        }
        if (text.contains("/")) {
            throw new IllegalArgumentException(refusal(text, "a host without a path or prefix length"));
        }
        if (text.contains("@")) {
            throw new IllegalArgumentException(refusal(text, "a host without user information"));
        }
        if (text.equals("*")) {
            throw new IllegalArgumentException(refusal(text, "a name; leave the policy out to allow everything"));
        }
        if (text.contains("[") || text.indexOf(':') != text.lastIndexOf(':')) {
            throw new IllegalArgumentException(refusal(text, "a name or an IPv4 address; IPv6 is not reachable"));
        }
    }

    private static int port(String text, String port) {
        if (!PORT.matcher(port).matches() || Integer.parseInt(port) > 65535) {
            throw new IllegalArgumentException(refusal(text, "a port from 1 to 65535 after ':'"));
        }
        return Integer.parseInt(port);
    }

    private static String ascii(String text, String name) {
        if (name.chars().allMatch(c -> c < 128)) {
            return name;
        }
        if (AMBIGUOUS.matcher(name).find()) {
            throw new IllegalArgumentException(refusal(text, "its xn-- form, because this spelling is ambiguous"));
        }
        try {
            return IDN.toASCII(name, IDN.USE_STD3_ASCII_RULES);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(refusal(text, "a valid internationalised name"), e);
        }
    }

    private static String refusal(String text, String expected) {
        return "allowed host: " + text + " (expected: " + expected + ")";
    }
}
