package dev.slate.egress.proxy;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads heads of HTTP/2 to the letter of RFC 9113 section 8, as the requests that {@link RequestRules} decides on, and
 * writes them again. What HTTP/1.1 could not carry, or would read in another way, is refused.
 */
final class Http2Heads {

    /** A header value that the compression of HTTP/2 must keep out of its tables (RFC 7541, section 7.1.3). */
    record NeverIndexed(String value) implements CharSequence {
        @Override
        public int length() {
            return value.length();
        }

        @Override
        public char charAt(int index) {
            return value.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return value.substring(start, end);
        }

        @Override
        public String toString() {
            return value;
        }
    }

    private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}");
    private static final Pattern PATH = Pattern.compile("/[!-~&&[^#]]{0,16383}|\\*");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]{1,256}");
    private static final Pattern STATUS = Pattern.compile("[1-9][0-9]{2}");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final int MOST_HEADERS = 200;
    private static final Set<String> OF_ONE_CONNECTION =
            Set.of("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade");

    private Http2Heads() {}

    /**
     * The request that a client's head makes.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    static HttpRequest request(Http2Headers from) {
        var pseudo = new HashMap<String, String>();
        var headers = new DefaultHttpHeaders();
        for (var header : from) {
            var name = header.getKey().toString();
            var value = header.getValue().toString();
            if (name.startsWith(":")) {
                if (pseudo.put(name, value) != null) {
                    throw new IllegalArgumentException("a pseudo-header comes twice");
                }
            } else {
                add(headers, name, value);
            }
        }
        var lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (lengths.size() > 1
                || (lengths.size() == 1 && !LENGTH.matcher(lengths.getFirst()).matches())) {
            throw new IllegalArgumentException("Content-Length must be one number, once");
        }
        var method = pseudo.getOrDefault(":method", "");
        headers.set(HttpHeaderNames.HOST, authority(pseudo, headers));
        var isConnect = method.equals("CONNECT");
        var path = isConnect ? headers.get(HttpHeaderNames.HOST) : pseudo.getOrDefault(":path", "");
        if (!METHOD.matcher(method).matches()
                || !Set.of(":method", ":scheme", ":authority", ":path").containsAll(pseudo.keySet())
                || (!isConnect
                        && (!PATH.matcher(path).matches() || !"https".equals(pseudo.getOrDefault(":scheme", ""))))) {
            throw new IllegalArgumentException("the pseudo-headers are malformed");
        }
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), path, headers);
    }

    /**
     * Headers after a body, of a client or a host.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    static HttpHeaders trailers(Http2Headers from) {
        var headers = new DefaultHttpHeaders();
        for (var header : from) {
            add(headers, header.getKey().toString(), header.getValue().toString());
        }
        return headers;
    }

    /**
     * The status of a host's answer.
     *
     * @throws IllegalArgumentException if there is none
     */
    static int status(Http2Headers from) {
        var status = from.status();
        if (status == null
                || from.getAll(":status").size() != 1
                || !STATUS.matcher(status).matches()) {
            throw new IllegalArgumentException("the answer has no status");
        }
        return Integer.parseInt(status.toString());
    }

    /**
     * The headers of a host's answer.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    static HttpHeaders answer(Http2Headers from) {
        var headers = new DefaultHttpHeaders();
        for (var header : from) {
            var name = header.getKey().toString();
            if (!name.equals(":status")) {
                add(headers, name, header.getValue().toString());
            }
        }
        return headers;
    }

    /** The head to send to a host; values that the client did not send itself are secrets, and never indexed. */
    static Http2Headers toHost(HttpRequest request, HttpRequest asReceived) {
        var host = request.headers().get(HttpHeaderNames.HOST);
        var to = new DefaultHttp2Headers(false)
                .method(request.method().name())
                .scheme("https")
                .authority(host)
                .path(request.uri());
        for (var header : request.headers()) {
            var name = header.getKey().toLowerCase(Locale.ROOT);
            var value = header.getValue();
            if (!name.equals("host")) {
                to.add(name, asReceived.headers().getAll(name).contains(value) ? value : new NeverIndexed(value));
            }
        }
        if ("trailers".equals(asReceived.headers().get(HttpHeaderNames.TE))) {
            // Of all hop-by-hop headers the only one in HTTP/2, and gRPC asks for it.
            to.add("te", "trailers");
        }
        return to;
    }

    /** A head to send to a client. */
    static Http2Headers toClient(int status, HttpHeaders headers) {
        return fields(headers).status(Integer.toString(status));
    }

    /** Headers without pseudo-headers. */
    static Http2Headers fields(HttpHeaders headers) {
        var to = new DefaultHttp2Headers(false);
        for (var header : headers) {
            to.add(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
        }
        return to;
    }

    private static String authority(Map<String, String> pseudo, HttpHeaders headers) {
        var hosts = headers.getAll(HttpHeaderNames.HOST);
        var authority = pseudo.getOrDefault(":authority", hosts.isEmpty() ? "" : hosts.getFirst());
        if (authority.isEmpty() || hosts.size() > 1 || hosts.stream().anyMatch(h -> !h.equalsIgnoreCase(authority))) {
            throw new IllegalArgumentException(":authority and Host must be there and agree");
        }
        return authority;
    }

    private static void add(HttpHeaders to, String name, String value) {
        if (!NAME.matcher(name).matches() || OF_ONE_CONNECTION.contains(name)) {
            throw new IllegalArgumentException("a header that HTTP/2 does not have");
        }
        if (name.equals("te") && !value.equals("trailers")) {
            throw new IllegalArgumentException("TE may only be trailers");
        }
        if (to.size() >= MOST_HEADERS) {
            throw new IllegalArgumentException("more than " + MOST_HEADERS + " headers");
        }
        to.add(name, RequestHead.checkedValue(value));
    }
}
