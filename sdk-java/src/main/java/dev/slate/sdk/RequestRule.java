package dev.slate.sdk;

import dev.slate.api.egress.v1.NamedMatch;
import dev.slate.api.egress.v1.SetHeader;
import java.util.List;

/**
 * Some requests to a host, and headers that the platform sets in them. All conditions must hold; without any it is every
 * request. Immutable: each method returns another rule.
 */
public final class RequestRule {

    private static final RequestRule ANY = new RequestRule(dev.slate.api.egress.v1.RequestRule.getDefaultInstance());

    private final dev.slate.api.egress.v1.RequestRule message;

    RequestRule(dev.slate.api.egress.v1.RequestRule message) {
        this.message = message;
    }

    /** Every request; the other methods narrow it. */
    public static RequestRule any() {
        return ANY;
    }

    /** Requests with one of these methods. */
    public RequestRule methods(String... methods) {
        return new RequestRule(
                message.toBuilder().addAllMethods(List.of(methods)).build());
    }

    /** The path as it is sent, without the query. */
    public RequestRule path(TextMatch path) {
        return new RequestRule(message.toBuilder().setPath(path.message()).build());
    }

    /** A query parameter that is there exactly once. */
    public RequestRule query(String name, TextMatch value) {
        return new RequestRule(message.toBuilder().addQuery(named(name, value)).build());
    }

    /** A header that is there exactly once. */
    public RequestRule header(String name, TextMatch value) {
        return new RequestRule(
                message.toBuilder().addHeaders(named(name, value)).build());
    }

    /** Sets a header, in place of what the client sent. */
    public RequestRule setHeader(String name, String value) {
        return new RequestRule(message.toBuilder()
                .addSetHeaders(SetHeader.newBuilder().setName(name).setValue(value))
                .build());
    }

    /**
     * Sets a header to a value in which {@code {secret}} stands for the secret. The sandbox sees neither it nor a
     * placeholder. Only for an exact host and port 443.
     */
    public RequestRule setHeader(String name, String value, Secret secret) {
        return new RequestRule(message.toBuilder()
                .addSetHeaders(
                        SetHeader.newBuilder().setName(name).setValue(value).setSecret(secret.name()))
                .build());
    }

    dev.slate.api.egress.v1.RequestRule message() {
        return message;
    }

    private static NamedMatch.Builder named(String name, TextMatch value) {
        return NamedMatch.newBuilder().setName(name).setValue(value.message());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RequestRule rule && message.equals(rule.message);
    }

    @Override
    public int hashCode() {
        return message.hashCode();
    }

    @Override
    public String toString() {
        return message.toString();
    }
}
