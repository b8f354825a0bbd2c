package dev.slate.egress.dns;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The addresses that stand for names inside sandboxes: one per sandbox and name, out of 198.18.0.0/15. An address
 * follows from the name by a hash, so it normally survives a restart. Bounded per sandbox, the name that was not asked
 * for the longest goes first. Thread-safe.
 */
public final class SyntheticAddresses {

    private static final int FIRST = 198 << 24 | 18 << 16;
    private static final int SIZE = 1 << 17;
    private static final int MOST = 4096;

    private final Map<String, Table> tables = new ConcurrentHashMap<>();

    /** Whether this is an address that stands for a name. */
    public static boolean isSynthetic(InetAddress address) {
        return address instanceof Inet4Address && (toInt(address) & ~(SIZE - 1)) == FIRST;
    }

    /** The address of a name in a sandbox. */
    public Inet4Address addressOf(String sandbox, HostName name) {
        return fromInt(tables.computeIfAbsent(sandbox, _ -> new Table()).number(name));
    }

    /** The name that an address was handed out for; empty if it never was. */
    public Optional<HostName> nameOf(String sandbox, InetAddress address) {
        var table = tables.get(sandbox);
        return table == null ? Optional.empty() : table.name(toInt(address));
    }

    /** Forgets a sandbox. */
    public void remove(String sandbox) {
        tables.remove(sandbox);
    }

    private static int toInt(InetAddress address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    private static Inet4Address fromInt(int number) {
        return IpLiteral.address(ByteBuffer.allocate(4).putInt(number).array());
    }

    private static final class Table {
        private final Map<HostName, Integer> numbers = new LinkedHashMap<>(16, 0.75f, true);
        private final Map<Integer, HostName> names = new HashMap<>();

        synchronized int number(HostName name) {
            var known = numbers.get(name);
            if (known != null) {
                return known;
            }
            if (numbers.size() >= MOST) {
                var eldest = numbers.entrySet().iterator().next();
                names.remove(eldest.getValue());
                numbers.remove(eldest.getKey());
            }
            var number = FIRST + hash(name);
            while (names.containsKey(number) || (number & 0xff) == 0 || (number & 0xff) == 0xff) {
                number = FIRST + (number - FIRST + 1) % SIZE;
            }
            numbers.put(name, number);
            names.put(number, name);
            return number;
        }

        synchronized Optional<HostName> name(int number) {
            var name = Optional.ofNullable(names.get(number));
            name.ifPresent(numbers::get);
            return name;
        }

        private static int hash(HostName name) {
            try {
                var digest =
                        MessageDigest.getInstance("SHA-256").digest(name.value().getBytes(UTF_8));
                return ByteBuffer.wrap(digest).getInt() & (SIZE - 1);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
