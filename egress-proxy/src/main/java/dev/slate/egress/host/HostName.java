package dev.slate.egress.host;

import java.util.Locale;
import java.util.Optional;

/** A DNS name in lower case, without a trailing dot, ASCII only. Anything that could be read as an address is refused. */
public record HostName(String value) implements Host {

    private static final int MAX_LENGTH = 253;
    private static final int MAX_LABEL = 63;

    public HostName {
        if (!value.equals(canonical(value))) {
            throw new IllegalArgumentException(refusal(value, "the canonical form " + canonical(value)));
        }
    }

    /**
     * Brings a name to its canonical form: lower case, at most one trailing dot trimmed.
     *
     * @throws IllegalArgumentException if it is not a DNS name
     */
    public static HostName parse(String text) {
        return new HostName(canonical(text));
    }

    /** The name one label up, empty for a top-level name. */
    Optional<HostName> parent() {
        var dot = value.indexOf('.');
        return dot < 0 ? Optional.empty() : Optional.of(new HostName(value.substring(dot + 1)));
    }

    int labels() {
        return value.split("\\.", -1).length;
    }

    @Override
    public String toString() {
        return value;
    }

    private static String canonical(String text) {
        var name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        if (name.isEmpty() || name.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(refusal(text, "a name of 1 to 253 characters"));
        }
        var labels = name.split("\\.", -1);
        for (var label : labels) {
            checkLabel(text, label);
        }
        var last = labels[labels.length - 1].toLowerCase(Locale.ROOT);
        if (last.matches("[0-9]+|0x[0-9a-f]*")) {
            throw new IllegalArgumentException(refusal(text, "a name, or an IPv4 address as four decimal numbers"));
        }
        return name.toLowerCase(Locale.ROOT);
    }

    private static void checkLabel(String text, String label) {
        if (label.isEmpty() || label.length() > MAX_LABEL || label.startsWith("-") || label.endsWith("-")) {
            throw new IllegalArgumentException(
                    refusal(text, "labels of 1 to 63 characters that do not start or end with '-'"));
        }
        if (!label.chars().allMatch(HostName::isNameCharacter)) {
            throw new IllegalArgumentException(refusal(text, "only letters, digits, '-', '_' and '.'"));
        }
    }

    private static boolean isNameCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }

    private static String refusal(String text, String expected) {
        return "host: " + text + " (expected: " + expected + ")";
    }
}
