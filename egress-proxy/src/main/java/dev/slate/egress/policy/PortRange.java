package dev.slate.egress.policy;

/** Ports from the first to the last, both included. */
public record PortRange(int first, int last) {

    private static final int HIGHEST = 65_535;

    public PortRange {
        if (first < 1 || last < first || last > HIGHEST) {
            throw new IllegalArgumentException(
                    "ports: " + first + "-" + last + " (expected: 1 to 65535, the lower first)");
        }
    }

    boolean contains(int port) {
        return first <= port && port <= last;
    }

    @Override
    public String toString() {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }
}
