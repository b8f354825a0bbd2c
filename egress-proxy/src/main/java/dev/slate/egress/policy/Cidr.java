package dev.slate.egress.policy;

import java.net.InetAddress;

/** An address range, IPv4 or IPv6. */
final class Cidr {

    private final byte[] prefix;
    private final int bits;

    private Cidr(byte[] prefix, int bits) {
        this.prefix = prefix;
        this.bits = bits;
    }

    static Cidr parse(String text) {
        var slash = text.indexOf('/');
        var address = InetAddress.ofLiteral(text.substring(0, slash));
        return new Cidr(address.getAddress(), Integer.parseInt(text.substring(slash + 1)));
    }

    boolean contains(byte[] address) {
        if (address.length != prefix.length) {
            return false;
        }
        for (var bit = 0; bit < bits; bit += 8) {
            var mask = bits - bit >= 8 ? 0xff : 0xff << (8 - (bits - bit)) & 0xff;
            if ((address[bit / 8] & mask) != (prefix[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
