package dev.slate.controlplane.policy;

import dev.slate.common.error.PlatformException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One entry of an allowlist: {@code name}, {@code *.name} (any depth, never the name itself) or an IPv4 literal, each
 * with an optional {@code :port}. The egress proxy matches; this type refuses mistakes while the user is looking.
 */
public record HostRule(String text) implements Comparable<HostRule> {
    private static final String EXPECTED = "name, *.name or an IPv4 address, with an optional :port";
    private static final Pattern SHAPE = Pattern.compile(
            "(\\*\\.)?[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*(:[1-9][0-9]{0,4})?");
    private static final int LONGEST = 260;
    private static final int HIGHEST_PORT = 65_535;

    public HostRule {
        if (text.length() > LONGEST || !SHAPE.matcher(text).matches() || port(text) > HIGHEST_PORT) {
            throw PlatformException.invalid("allowed host", text, EXPECTED);
        }
    }

    /** Brings an entry to lower case without a trailing dot, or refuses it. */
    public static HostRule parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return new HostRule(lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower);
    }

    /** True for a wildcard, which a credential cannot be bound to. */
    public boolean isWildcard() {
        return text.startsWith("*.");
    }

    @Override
    public int compareTo(HostRule other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }

    private static int port(String text) {
        int colon = text.indexOf(':');
        return colon < 0 ? 0 : Integer.parseInt(text.substring(colon + 1));
    }
}
