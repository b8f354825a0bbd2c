package dev.slate.egress.audit;

/** Makes text from outside safe to store and to show in a terminal. */
public final class Printable {

    private static final int LONGEST = 256;

    private Printable() {}

    /** The text with everything but printable ASCII escaped, cut to a readable length. */
    public static String of(String text) {
        var out = new StringBuilder();
        for (var i = 0; i < text.length() && out.length() < LONGEST; i++) {
            var c = text.charAt(i);
            if (c >= 0x20 && c < 0x7f) {
                out.append(c);
            } else {
                out.append("\\u%04x".formatted((int) c));
            }
        }
        return out.length() < LONGEST ? out.toString() : out.append("...").toString();
    }
}
