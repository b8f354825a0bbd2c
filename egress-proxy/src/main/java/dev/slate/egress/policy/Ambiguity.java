package dev.slate.egress.policy;

import com.google.re2j.Pattern;

/**
 * Finds what servers read in different ways. A rule that let such a path through could be about another path than the
 * one that the server takes it for, so it is refused wherever a path or query decides.
 */
final class Ambiguity {

    /**
     * Empty and dot segments, parameters, backslashes, and percent signs that encode a slash, backslash, dot, NUL,
     * semicolon or percent sign, or nothing at all.
     */
    private static final Pattern PATH = Pattern.compile(
            "//|/\\.{1,2}(/|$)|[;\\\\]|%(2[fFeE]|5[cC]|00|3[bB]|25)|%([^0-9a-fA-F]|$)|%[0-9a-fA-F]([^0-9a-fA-F]|$)|[^\\x21-\\x7e]");

    private Ambiguity() {}

    static boolean inPath(String path) {
        return !path.startsWith("/") || PATH.matcher(path).find();
    }

    /** Some servers separate parameters by semicolons, too. */
    static boolean inQuery(String query) {
        return query.indexOf(';') >= 0
                || query.toLowerCase(java.util.Locale.ROOT).contains("%3b");
    }
}
