package dev.slate.sdk.internal;

import java.net.URI;
import java.net.URISyntaxException;

/** Address of an install, such as {@code http://127.0.0.1:7080}. */
public record Endpoint(URI uri) {

    /** Where a local install listens unless told otherwise. */
    public static final Endpoint LOCAL = parse("http://127.0.0.1:7080");

    public Endpoint {
        var path = uri.getRawPath();
        var scheme = uri.getScheme();
        if (uri.getHost() == null
                || !("http".equals(scheme) || "https".equals(scheme))
                || (path != null && !path.isEmpty())
                || uri.getRawQuery() != null) {
            throw invalid(uri.toString());
        }
    }

    public static Endpoint parse(String text) {
        var trimmed = text.strip();
        var withoutSlash = trimmed.endsWith("/") ? trimmed.substring(0, trimmed.length() - 1) : trimmed;
        try {
            return new Endpoint(new URI(withoutSlash));
        } catch (URISyntaxException e) {
            throw (IllegalArgumentException) invalid(text).initCause(e);
        }
    }

    public boolean encrypted() {
        return "https".equals(uri.getScheme());
    }

    public String host() {
        return uri.getHost();
    }

    public int port() {
        if (uri.getPort() != -1) {
            return uri.getPort();
        }
        return encrypted() ? 443 : 80;
    }

    /** Whether the address is this machine, so that the owner's token may be sent to it. */
    public boolean loopback() {
        return host().startsWith("127.") || "localhost".equals(host()) || "[::1]".equals(host());
    }

    /** A full address from an already encoded path and query. */
    URI resolve(String pathAndQuery) {
        return URI.create(uri + pathAndQuery);
    }

    @Override
    public String toString() {
        return uri.toString();
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException("endpoint: " + text + " (expected: http(s)://host[:port])");
    }
}
