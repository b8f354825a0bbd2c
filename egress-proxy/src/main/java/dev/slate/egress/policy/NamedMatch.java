package dev.slate.egress.policy;

/** A condition on the one value of a header or query parameter; one that is missing or there twice does not fulfil it. */
public record NamedMatch(String name, TextMatch value) {

    public NamedMatch {
        if (name.isEmpty() || name.length() > 128) {
            throw new IllegalArgumentException("name of a condition: " + name + " (expected: 1 to 128 characters)");
        }
    }
}
