package dev.slate.sdk;

/** A condition on a path, or on the value of a header or query parameter. Immutable. */
public final class TextMatch {

    private final dev.slate.api.egress.v1.TextMatch message;

    private TextMatch(dev.slate.api.egress.v1.TextMatch message) {
        this.message = message;
    }

    /** Exactly this text. */
    public static TextMatch exact(String text) {
        return new TextMatch(
                dev.slate.api.egress.v1.TextMatch.newBuilder().setExact(text).build());
    }

    /** A text that starts so; end a path with a slash to mean a folder. */
    public static TextMatch prefix(String text) {
        return new TextMatch(
                dev.slate.api.egress.v1.TextMatch.newBuilder().setPrefix(text).build());
    }

    /** A text all of which an expression in RE2 syntax matches. */
    public static TextMatch regex(String expression) {
        return new TextMatch(dev.slate.api.egress.v1.TextMatch.newBuilder()
                .setRegex(expression)
                .build());
    }

    dev.slate.api.egress.v1.TextMatch message() {
        return message;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TextMatch match && message.equals(match.message);
    }

    @Override
    public int hashCode() {
        return message.hashCode();
    }

    @Override
    public String toString() {
        return message.getKindCase() + " " + message.getExact() + message.getPrefix() + message.getRegex();
    }
}
