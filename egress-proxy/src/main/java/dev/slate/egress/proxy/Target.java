package dev.slate.egress.proxy;

import dev.slate.egress.host.Host;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** What a request asks for: the host, the port if it names one, and the path with its query. */
record Target(Host host, OptionalInt port, String path) {

    private static final Pattern AUTHORITY = Pattern.compile("([^:@/\\[\\]]+)(?::([1-9][0-9]{0,4}))?");
    private static final Pattern ABSOLUTE = Pattern.compile("(?i)(https?)://([^/?]+)(.*)");

    private record Authority(Host host, OptionalInt port) {

        static Optional<Authority> parse(String text) {
            var matcher = AUTHORITY.matcher(text);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            var port =
                    matcher.group(2) == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(matcher.group(2)));
            return Host.tryParse(matcher.group(1)).map(host -> new Authority(host, port));
        }
    }

    /** Empty if the parts are malformed or disagree. */
    static Optional<Target> parse(HttpRequest request, boolean tls) {
        var header = request.headers().get(HttpHeaderNames.HOST);
        var authority = header == null ? Optional.<Authority>empty() : Authority.parse(header);
        if (authority.isEmpty()) {
            return Optional.empty();
        }
        var host = authority.get().host();
        var port = authority.get().port();
        var uri = request.uri();
        if (uri.startsWith("/") || (uri.equals("*") && request.method().name().equals("OPTIONS"))) {
            return Optional.of(new Target(host, port, uri));
        }
        var absolute = ABSOLUTE.matcher(uri);
        if (!absolute.matches()
                || !absolute.group(1).toLowerCase(Locale.ROOT).equals(tls ? "https" : "http")
                || !Authority.parse(absolute.group(2)).equals(authority)) {
            return Optional.empty();
        }
        var path = absolute.group(3);
        return Optional.of(new Target(host, port, path.startsWith("/") ? path : "/" + path));
    }

    /** What a CONNECT asks for: always with a port. */
    static Optional<Target> ofConnect(String uri) {
        return Authority.parse(uri)
                .filter(authority -> authority.port().isPresent())
                .map(authority -> new Target(authority.host(), authority.port(), ""));
    }

    /** Whether a request names the whole URL, as only a proxy gets it. */
    static boolean isWhole(HttpRequest request) {
        return ABSOLUTE.matcher(request.uri()).matches();
    }

    /** The port comes from the connection; a request may only agree. */
    boolean fitsPort(int actual) {
        return port.isEmpty() ? actual == 443 || actual == 80 : port.getAsInt() == actual;
    }

    /** The Host header in canonical form. */
    String hostHeader(int actual) {
        return actual == 443 || actual == 80 ? host.value() : host.value() + ":" + actual;
    }
}
