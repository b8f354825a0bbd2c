package dev.slate.egress.policy;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Some requests to a host, and the headers that are set in them. All conditions must hold; without any, all do. */
public record RequestRule(
        Set<String> methods,
        Optional<TextMatch> path,
        List<NamedMatch> query,
        List<NamedMatch> headers,
        List<SetHeader> setHeaders) {

    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z-]{0,31}");
    private static final int MOST = 32;

    public RequestRule {
        methods = Set.copyOf(methods);
        query = List.copyOf(query);
        headers = List.copyOf(headers);
        setHeaders = List.copyOf(setHeaders);
        for (var method : methods) {
            if (!METHOD.matcher(method).matches() || method.equals("CONNECT")) {
                throw new IllegalArgumentException("method: " + method + " (expected: for example GET, in capitals)");
            }
        }
        path.ifPresent(RequestRule::requirePath);
        if (query.size() > MOST || headers.size() > MOST || setHeaders.size() > MOST) {
            throw new IllegalArgumentException("conditions or headers of a rule: too many (expected: at most 32 each)");
        }
        var distinct = setHeaders.stream()
                .map(header -> header.name().toLowerCase(java.util.Locale.ROOT))
                .distinct()
                .count();
        if (distinct < setHeaders.size()) {
            throw new IllegalArgumentException("set headers: a name twice (expected: each header once)");
        }
    }

    boolean matches(RequestFacts request) {
        return (methods.isEmpty() || methods.contains(request.method()))
                && path.map(match -> match.matches(request.path())).orElse(true)
                && query.stream().allMatch(match -> holds(match, values(request.query(), match.name())))
                && headers.stream()
                        .allMatch(match -> holds(match, request.headers().apply(match.name())));
    }

    private static boolean holds(NamedMatch match, List<String> values) {
        return values.size() == 1 && match.value().matches(values.getFirst());
    }

    /** The values of a parameter; one that cannot be decoded is kept as it is, which no honest rule is about. */
    private static List<String> values(String query, String name) {
        var values = new ArrayList<String>();
        for (var part : query.split("&", -1)) {
            var equals = part.indexOf('=');
            if (decoded(equals < 0 ? part : part.substring(0, equals)).equals(name)) {
                values.add(equals < 0 ? "" : decoded(part.substring(equals + 1)));
            }
        }
        return values;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text;
        }
    }

    private static void requirePath(TextMatch match) {
        var text = switch (match) {
            case TextMatch.Exact(var exact) -> exact;
            case TextMatch.Prefix(var prefix) -> prefix;
            case TextMatch.Regex _ -> "/";
        };
        if (Ambiguity.inPath(text) || text.indexOf('?') >= 0 || text.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "path: " + text + " (expected: a path from '/' as it is sent, without '..', '//', ';' or a query)");
        }
    }
}
