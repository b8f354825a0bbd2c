package dev.slate.egress.policy;

import java.util.Locale;

/** Why a connection or request was refused: the stable codes that clients and the audit see. */
public enum Reason {
    UNKNOWN_SOURCE("the connection comes from no sandbox that the proxy knows"),
    HOST_NOT_ALLOWED("the network policy of this sandbox does not list this host"),
    NO_SERVER_NAME("the TLS hello names no host, so no policy can be applied to it"),
    BAD_SERVER_NAME("the TLS hello names something that is not a host"),
    BAD_HELLO("the first bytes are not a TLS hello that can be read"),
    HELLO_TIMEOUT("the client did not say in time which host it wants"),
    ENCRYPTED_HELLO("the TLS hello hides which host it is for (encrypted client hello)"),
    WRONG_PROTOCOL("this port does not carry this protocol: 443 is TLS, 80 is HTTP"),
    ADDRESS_MISMATCH("the address that was dialled was not handed out for this host"),
    ADDRESS_REFUSED("the host has only private, local or metadata addresses"),
    ADDRESS_DENIED("the network policy of this sandbox denies the addresses of this host"),
    REQUEST_NOT_ALLOWED("the network policy of this sandbox allows no such request to this host"),
    REQUEST_AMBIGUOUS("servers read this path, query or method in different ways, and the policy decides by it"),
    NAME_NOT_FOUND("the host has no address"),
    CONNECT_FAILED("the host does not accept the connection"),
    UPSTREAM_UNVERIFIED("the certificate of the host is not valid for it"),
    UPSTREAM_FAILED("the host broke the connection off or sent no valid answer"),
    CLIENT_TLS_FAILED("the client broke the TLS handshake off: it may not trust the certificate of the platform"),
    TOO_MANY_CONNECTIONS("the sandbox has too many open connections"),
    BAD_REQUEST("the request is malformed"),
    BAD_TARGET("what the request asks the proxy for is not a name or IPv4 address with a port"),
    METHOD_REFUSED("this method is not passed on"),
    WRONG_HOST("the Host header and the TLS hello name different hosts"),
    CREDENTIAL_IN_CLEAR("a credential is only sent over TLS: use https"),
    CREDENTIAL_UNAVAILABLE("the secret behind this placeholder is not available"),
    PATH_REFUSED("from a sandbox only the gateways of the platform can be reached"),
    POLICY_CHANGED("the network policy changed while the connection was open"),
    SANDBOX_REMOVED("the sandbox has ended");

    private final String explanation;

    Reason(String explanation) {
        this.explanation = explanation;
    }

    /** Whether the proxy said no; the others are failures on the way. */
    public boolean isDenial() {
        return switch (this) {
            case NAME_NOT_FOUND, CONNECT_FAILED, UPSTREAM_UNVERIFIED, UPSTREAM_FAILED, CLIENT_TLS_FAILED -> false;
            default -> true;
        };
    }

    /** Lower-case code, stable for good. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** One sentence for people and agents. */
    public String explanation() {
        return explanation;
    }
}
