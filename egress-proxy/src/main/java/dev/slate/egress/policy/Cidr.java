package dev.slate.egress.policy;

import dev.slate.egress.host.IpLiteral;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Pattern;

/** An address range, IPv4 or IPv6, whose bits after the prefix are zero. Immutable. */
public final class Cidr {

    private static final Pattern SHAPE = Pattern.compile("([0-9.]{7,15}|[0-9a-fA-F:.]{2,45})/(0|[1-9][0-9]{0,2})");

    private final byte[] prefix;
    private final int bits;

    private Cidr(byte[] prefix, int bits) {
        this.prefix = prefix;
        this.bits = bits;
    }

    /**
     * Parses {@code 10.1.0.0/16} or {@code fd12::/16}.
     *
     * @throws IllegalArgumentException with the text and what was expected instead
     */
    public static Cidr parse(String text) {
        var matcher = SHAPE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(refusal(text, "a CIDR such as 10.1.0.0/16 or 10.1.2.3/32"));
        }
        var address = address(text, matcher.group(1));
        var bits = Integer.parseInt(matcher.group(2));
        if (bits > address.length * 8) {
            throw new IllegalArgumentException(refusal(text, "a prefix length of at most " + address.length * 8));
        }
        var range = new Cidr(masked(address, bits), bits);
        if (!Arrays.equals(address, range.prefix)) {
            throw new IllegalArgumentException(refusal(text, range + ", or the address with /" + address.length * 8));
        }
        return range;
    }

    /** Whether an address, as its 4 or 16 bytes, is in the range. */
    boolean contains(byte[] address) {
        return address.length == prefix.length && Arrays.equals(masked(address, bits), prefix);
    }

    /** Whether all of the other range is in this one. */
    boolean contains(Cidr other) {
        return other.bits >= bits && contains(other.prefix);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Cidr cidr && bits == cidr.bits && Arrays.equals(prefix, cidr.prefix);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(prefix) + bits;
    }

    @Override
    public String toString() {
        try {
            return InetAddress.getByAddress(prefix).getHostAddress() + "/" + bits;
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] address(String text, String address) {
        if (address.indexOf(':') < 0) {
            return IpLiteral.tryParse(address)
                    .orElseThrow(() -> new IllegalArgumentException(refusal(text, "four decimal numbers up to 255")))
                    .address()
                    .getAddress();
        }
        byte[] bytes;
        try {
            bytes = InetAddress.ofLiteral(address).getAddress();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(refusal(text, "an IPv6 address before the '/'"), e);
        }
        if (bytes.length != 16) {
            throw new IllegalArgumentException(refusal(text, "an IPv4 range in its IPv4 form"));
        }
        return bytes;
    }

    private static byte[] masked(byte[] address, int bits) {
        var masked = address.clone();
        for (var i = 0; i < masked.length; i++) {
            var kept = Math.clamp(bits - 8 * i, 0, 8);
            masked[i] &= (byte) (0xff << (8 - kept));
        }
        return masked;
    }

    private static String refusal(String text, String expected) {
        return "CIDR: " + text + " (expected: " + expected + ")";
    }
}
