package dev.slate.sdk;

import dev.slate.api.egress.v1.AccessQuestion;

/** What a policy is asked: a connection to a host, and if wanted a request on it. Immutable. */
public final class Access {

    private final AccessQuestion message;

    private Access(AccessQuestion message) {
        this.message = message;
    }

    /** TLS to port 443 of a host, named as a client would. */
    public static Access to(String host) {
        return new Access(AccessQuestion.newBuilder().setHost(host).build());
    }

    /** Another port; 80 is plain HTTP, all others are TLS unless {@link #protocol} says otherwise. */
    public Access port(int port) {
        return new Access(message.toBuilder().setPort(port).build());
    }

    /** {@code tls}, {@code http} or {@code tcp}. */
    public Access protocol(String protocol) {
        return new Access(message.toBuilder().setProtocol(protocol).build());
    }

    /** A request, with its query in the path. */
    public Access request(String method, String path) {
        return new Access(message.toBuilder().setMethod(method).setPath(path).build());
    }

    /** A header of the request. */
    public Access header(String name, String value) {
        return new Access(message.toBuilder().putHeaders(name, value).build());
    }

    /** Looks the host up, if it is allowed, and checks its addresses, too. */
    public Access resolve() {
        return new Access(message.toBuilder().setResolve(true).build());
    }

    AccessQuestion message() {
        return message;
    }
}
