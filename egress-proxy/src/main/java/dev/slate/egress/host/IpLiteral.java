package dev.slate.egress.host;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** An IPv4 address that a client used in place of a name; only the strict dotted-quad form is one. */
public record IpLiteral(Inet4Address address) implements Host {

    private static final Pattern OCTET = Pattern.compile("0|[1-9][0-9]{0,2}");

    /** Reads four decimal numbers without leading zeros; everything else is not a literal. */
    public static Optional<IpLiteral> tryParse(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return Optional.empty();
        }
        var bytes = new byte[4];
        for (var i = 0; i < 4; i++) {
            if (!OCTET.matcher(parts[i]).matches() || Integer.parseInt(parts[i]) > 255) {
                return Optional.empty();
            }
            bytes[i] = (byte) Integer.parseInt(parts[i]);
        }
        return Optional.of(new IpLiteral(address(bytes)));
    }

    /** The address with these four bytes. */
    public static Inet4Address address(byte[] bytes) {
        try {
            return (Inet4Address) InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("address: " + bytes.length + " bytes (expected: 4)", e);
        }
    }

    @Override
    public String value() {
        return address.getHostAddress();
    }

    @Override
    public String toString() {
        return value();
    }
}
