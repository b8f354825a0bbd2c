package dev.slate.egress.policy;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A header that the proxy sets in requests, in place of what the client sent under its name.
 *
 * @param secret name of the secret that {@code {secret}} in the value stands for; empty for none. What is in force has
 *     the placeholder of a credential in the value instead.
 */
public record SetHeader(String name, String value, String secret) {

    /** What the value of the secret takes the place of. */
    public static final String SECRET = "{secret}";

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]{0,4096}");
    private static final Set<String> FRAMING = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "upgrade",
            "te",
            "trailer",
            "expect",
            "via",
            "forwarded",
            "http2-settings",
            "accept-encoding");
    /** Where servers repeat what they were sent. */
    private static final Set<String> NO_SECRET = Set.of("referer", "user-agent");

    public SetHeader {
        var lower = name.toLowerCase(Locale.ROOT);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(refusal(name, "a header name"));
        }
        if (FRAMING.contains(lower) || lower.startsWith("x-forwarded-") || lower.startsWith("proxy-")) {
            throw new IllegalArgumentException(refusal(name, "a header that is not part of routing or framing"));
        }
        if (!VALUE.matcher(value).matches() || !value.equals(value.strip())) {
            throw new IllegalArgumentException("value of header " + name
                    + " (expected: at most 4096 printable ASCII characters, no space around)");
        }
        if (!secret.isEmpty() && NO_SECRET.contains(lower)) {
            throw new IllegalArgumentException(refusal(name, "a header that servers do not repeat, for a secret"));
        }
        if (secret.isEmpty() && value.contains(SECRET)) {
            throw new IllegalArgumentException(refusal(name, "the name of a secret, because the value has {secret}"));
        }
        value = !secret.isEmpty() && value.isEmpty() ? SECRET : value;
        if (!secret.isEmpty() && !value.contains(SECRET)) {
            throw new IllegalArgumentException(refusal(name, "{secret} in the value, where the secret goes"));
        }
    }

    private static String refusal(String name, String expected) {
        return "set header: " + name + " (expected: " + expected + ")";
    }
}
