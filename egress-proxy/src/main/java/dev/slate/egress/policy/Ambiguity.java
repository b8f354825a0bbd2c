package dev.slate.egress.policy;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Locale;

/**
 * Finds what servers read in different ways. A rule that let such a request through could be about another one than the
 * server takes it for, so it is refused wherever that part of it decides.
 */
final class Ambiguity {

    /**
     * Empty and dot segments, parameters, backslashes, and percent signs that encode a slash, backslash, dot, NUL,
     * semicolon or percent sign, or nothing at all.
     */
    private static final Pattern PATH = Pattern.compile(
            "//|/\\.{1,2}(/|$)|[;\\\\]|%(2[fFeE]|5[cC]|00|3[bB]|25)|%([^0-9a-fA-F]|$)|%[0-9a-fA-F]([^0-9a-fA-F]|$)|[^\\x21-\\x7e]");

    private static final List<String> METHOD_OVERRIDES =
            List.of("x-http-method-override", "x-http-method", "x-method-override");
    private static final List<String> PATH_OVERRIDES = List.of("x-original-url", "x-rewrite-url");

    private Ambiguity() {}

    /** Whether a header tells servers another method than the request line does. */
    static boolean inMethod(RequestFacts request) {
        return METHOD_OVERRIDES.stream()
                .anyMatch(name -> !request.headers().apply(name).isEmpty());
    }

    /** Whether the path, or a header that some servers take for it, can be read in another way. */
    static boolean inPath(RequestFacts request) {
        return inPath(request.path())
                || PATH_OVERRIDES.stream()
                        .anyMatch(name -> !request.headers().apply(name).isEmpty());
    }

    static boolean inPath(String path) {
        return !path.startsWith("/") || PATH.matcher(path).find();
    }

    /** Some servers separate parameters by semicolons, too. */
    static boolean inQuery(String query) {
        return query.indexOf(';') >= 0 || query.toLowerCase(Locale.ROOT).contains("%3b");
    }
}
