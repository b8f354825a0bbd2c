package dev.slate.runsc;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** An IPv4 range that is cut into one /30 per sandbox. */
public record Subnet(Inet4Address address, int prefixLength) {

    private static final int SLOT_SIZE = 4;
    private static final int MOST_SLOTS = 1 << 16;

    public Subnet {
        if (prefixLength < 8 || prefixLength > 28) {
            throw new IllegalArgumentException("subnet prefix: /" + prefixLength + " (expected: /8 to /28)");
        }
        if ((number(address) & (-1 >>> prefixLength)) != 0) {
            throw new IllegalArgumentException("subnet: " + address.getHostAddress() + "/" + prefixLength
                    + " (expected: the first address of it)");
        }
    }

    /** Parses {@code 10.231.0.0/16}. */
    public static Subnet parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("subnet: " + text + " (expected: like 10.231.0.0/16)");
        }
        try {
            Inet4Address address = Inet4Address.ofLiteral(text.substring(0, slash));
            return new Subnet(address, Integer.parseInt(text.substring(slash + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("subnet: " + text + " (expected: like 10.231.0.0/16)", e);
        }
    }

    int slots() {
        return Math.min(MOST_SLOTS, (1 << (32 - prefixLength)) / SLOT_SIZE);
    }

    /** The host's address in a slot: the gateway of the sandbox. */
    Inet4Address hostAddress(int slot) {
        return plus(slot * SLOT_SIZE + 1);
    }

    Inet4Address sandboxAddress(int slot) {
        return plus(slot * SLOT_SIZE + 2);
    }

    private Inet4Address plus(int offset) {
        byte[] bytes = ByteBuffer.allocate(4).putInt(number(address) + offset).array();
        try {
            return (Inet4Address) InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private static int number(Inet4Address address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    @Override
    public String toString() {
        return address.getHostAddress() + "/" + prefixLength;
    }
}
