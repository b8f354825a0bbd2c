package dev.slate.egress.credential;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.slate.egress.host.HostName;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces placeholders by secrets in the header values of one request to one host. Only placeholders of the same
 * sandbox whose credential is bound to exactly this host count; all others stay as they are. One pass from left to
 * right, so what a secret contains is never looked at again. Used by one request, not thread-safe.
 */
public final class HeaderSwap {

    private static final Set<String> NEVER = Set.of(
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
            "referer",
            "user-agent");
    private static final Pattern BASIC = Pattern.compile("(?i)(basic +)([A-Za-z0-9+/]+={0,2})");

    private final Map<String, Credential> mine;
    private final HostName host;
    private final Set<String> used = new LinkedHashSet<>();
    private final Set<String> misdirected = new LinkedHashSet<>();
    private final Set<String> unavailable = new LinkedHashSet<>();

    public HeaderSwap(Collection<Credential> credentialsOfSandbox, HostName host) {
        this.mine = credentialsOfSandbox.stream()
                .collect(Collectors.toMap(c -> c.placeholder().value(), Function.identity(), (a, b) -> a));
        this.host = host;
    }

    /** The value to send upstream. Ask {@link #unavailable} afterwards: if it is not empty, send nothing. */
    public String swap(String header, String value) {
        var name = header.toLowerCase(Locale.ROOT);
        if (mine.isEmpty() || NEVER.contains(name) || name.startsWith("x-forwarded-") || name.startsWith("proxy-")) {
            return value;
        }
        var basic = name.equals("authorization") ? BASIC.matcher(value) : null;
        return basic != null && basic.matches() ? swapBasic(basic, value) : swapText(value);
    }

    /** Names of the credentials that were put in. */
    public Set<String> used() {
        return used;
    }

    /** Names of credentials of this sandbox whose placeholder was sent to a host they are not bound to. */
    public Set<String> misdirected() {
        return misdirected;
    }

    /** Names of credentials that belong here and have no value any more. */
    public Set<String> unavailable() {
        return unavailable;
    }

    private String swapBasic(Matcher basic, String value) {
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(basic.group(2));
        } catch (IllegalArgumentException _) {
            return swapText(value);
        }
        var plain = new String(decoded, ISO_8859_1);
        var swapped = swapText(plain);
        return swapped.equals(plain)
                ? value
                : basic.group(1) + Base64.getEncoder().encodeToString(swapped.getBytes(ISO_8859_1));
    }

    private String swapText(String value) {
        if (!value.contains(Placeholder.PREFIX)) {
            return value;
        }
        return Placeholder.PATTERN
                .matcher(value)
                .replaceAll(found -> Matcher.quoteReplacement(replacement(found.group())));
    }

    private String replacement(String placeholder) {
        var credential = mine.get(placeholder);
        if (credential == null) {
            return placeholder;
        }
        if (!credential.hosts().contains(host)) {
            misdirected.add(credential.name());
            return placeholder;
        }
        if (credential.value().isEmpty()) {
            unavailable.add(credential.name());
            return placeholder;
        }
        used.add(credential.name());
        return credential.value().get().revealText();
    }
}
