package dev.slate.egress.host;

import java.util.Optional;

/** A destination as a client names it: a DNS name or an IPv4 literal, always in canonical form. */
public sealed interface Host permits HostName, IpLiteral {

    /** The canonical text, equal for every spelling of the same host. */
    String value();

    /**
     * Parses what a client sent (SNI, Host header, DNS question).
     *
     * @throws IllegalArgumentException if the text is neither a name nor a dotted-quad address; the message says why
     */
    static Host parse(String text) {
        var literal = IpLiteral.tryParse(text);
        return literal.isPresent() ? literal.get() : HostName.parse(text);
    }

    /** Like {@link #parse}, for untrusted text where the reason does not matter. */
    static Optional<Host> tryParse(String text) {
        try {
            return Optional.of(parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
