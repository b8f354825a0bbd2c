package dev.slate.egress.proxy;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.regex.Pattern;

/**
 * Reads the head of a request to the letter of RFC 9112. Whatever two parsers could understand in different ways is
 * refused, because the other parser is the server that the credential goes to.
 */
final class RequestHead {

    private static final Pattern LINE =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([!-~&&[^#]]{1,16384}) HTTP/1\\.([01])");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final int MOST_HEADERS = 200;

    private RequestHead() {}

    /**
     * Parses everything up to the empty line, without it.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    static HttpRequest parse(String head) {
        var lines = head.split("\r\n", -1);
        var first = LINE.matcher(lines[0]);
        if (!first.matches()) {
            throw new IllegalArgumentException("the request line is malformed");
        }
        if (lines.length - 1 > MOST_HEADERS) {
            throw new IllegalArgumentException("more than " + MOST_HEADERS + " headers");
        }
        var headers = new DefaultHttpHeaders();
        for (var i = 1; i < lines.length; i++) {
            addHeader(headers, lines[i]);
        }
        var version = first.group(3).equals("1") ? HttpVersion.HTTP_1_1 : HttpVersion.HTTP_1_0;
        checkFraming(headers, version, first.group(1).equals("CONNECT"));
        return new DefaultHttpRequest(version, HttpMethod.valueOf(first.group(1)), first.group(2), headers);
    }

    /** The number of body bytes: 0 or more, or -1 for a chunked body. */
    static long bodyLength(HttpRequest request) {
        if (request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return -1;
        }
        var length = request.headers().get(HttpHeaderNames.CONTENT_LENGTH);
        return length == null ? 0 : Long.parseLong(length);
    }

    /** Adds one header line, also of a trailer. */
    static void addHeader(HttpHeaders headers, String line) {
        var colon = line.indexOf(':');
        if (colon < 1 || !NAME.matcher(line.substring(0, colon)).matches()) {
            throw new IllegalArgumentException("a header line is malformed");
        }
        headers.add(line.substring(0, colon), checkedValue(line.substring(colon + 1)));
    }

    /** A header value without the whitespace around it. */
    static String checkedValue(String value) {
        if (!VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException("a header value holds control characters");
        }
        return strip(value);
    }

    private static void checkFraming(HttpHeaders headers, HttpVersion version, boolean isConnect) {
        var lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
        var encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (lengths.size() > 1
                || (lengths.size() == 1 && !LENGTH.matcher(lengths.getFirst()).matches())) {
            throw new IllegalArgumentException("Content-Length must be one number, once");
        }
        if (!encodings.isEmpty()
                && (encodings.size() > 1
                        || !encodings.getFirst().equalsIgnoreCase("chunked")
                        || !lengths.isEmpty()
                        || version.equals(HttpVersion.HTTP_1_0))) {
            throw new IllegalArgumentException("Transfer-Encoding must be chunked, once, without Content-Length");
        }
        // Old clients leave it out of CONNECT, where the target says it already.
        var hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (hosts == 0 && !isConnect)) {
            throw new IllegalArgumentException("Host must be there exactly once");
        }
    }

    /** Only what RFC 9112 calls whitespace; String.strip would take more. */
    private static String strip(String value) {
        var from = 0;
        var to = value.length();
        while (from < to && (value.charAt(from) == ' ' || value.charAt(from) == '\t')) {
            from++;
        }
        while (to > from && (value.charAt(to - 1) == ' ' || value.charAt(to - 1) == '\t')) {
            to--;
        }
        return value.substring(from, to);
    }
}
