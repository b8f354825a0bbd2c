package dev.slate.egress.policy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** A condition on a text. Regular expressions take time linear in the text, whatever a sandbox sends. */
public sealed interface TextMatch {

    /** Whether the text fulfils it. */
    boolean matches(String text);

    /** Exactly this text. */
    record Exact(String text) implements TextMatch {
        @Override
        public boolean matches(String other) {
            return text.equals(other);
        }
    }

    /** A text that starts so. */
    record Prefix(String text) implements TextMatch {
        @Override
        public boolean matches(String other) {
            return other.startsWith(text);
        }
    }

    /** A text all of which the expression matches, in RE2 syntax. */
    record Regex(Pattern pattern) implements TextMatch {

        private static final int LONGEST = 512;

        /** @throws IllegalArgumentException if it is malformed or too long */
        public static Regex parse(String text) {
            if (text.isEmpty() || text.length() > LONGEST) {
                throw new IllegalArgumentException("regex: " + text.length() + " characters (expected: 1 to 512)");
            }
            try {
                return new Regex(Pattern.compile(text, Pattern.DOTALL));
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("regex: " + text + " (expected: RE2 syntax)", e);
            }
        }

        @Override
        public boolean matches(String other) {
            return pattern.matches(other);
        }
    }
}
