package dev.slate.egress.proxy;

import dev.slate.egress.credential.Credential;
import dev.slate.egress.credential.Scrubber;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rewrites the head of an answer for the client: hop-by-hop headers out, secrets out, framing chosen anew. */
final class AnswerHead {

    private static final Set<String> DROPPED = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "transfer-encoding",
            "upgrade",
            "trailer",
            "alt-svc");

    private AnswerHead() {}

    /** Headers without those of this hop and without secrets. */
    static HttpHeaders headers(HttpHeaders from, Collection<Credential> credentials) {
        var nominated = new HashSet<String>();
        for (var value : from.getAll(HttpHeaderNames.CONNECTION)) {
            for (var name : value.split(",", -1)) {
                nominated.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        var to = new DefaultHttpHeaders();
        for (var header : from) {
            var name = header.getKey().toLowerCase(Locale.ROOT);
            if (!DROPPED.contains(name) && (!nominated.contains(name) || name.equals("content-length"))) {
                to.add(header.getKey(), Scrubber.scrub(credentials, header.getValue()));
            }
        }
        return to;
    }

    /** The final answer as the client gets it; sets the scrubber and whether to close in the exchange. */
    static HttpResponse prepare(HttpResponse response, Exchange exchange) {
        var credentials = exchange.forward.credentials();
        var headers = headers(response.headers(), credentials);
        var bodyless = exchange.headOnly
                || List.of(204, 304).contains(response.status().code());
        if (!bodyless) {
            exchange.scrubber = scrubber(response.status().code(), response.headers(), credentials);
            var lengthChanges =
                    exchange.scrubber != null && isText(response.status().code(), response.headers());
            if (HttpUtil.isTransferEncodingChunked(response) || lengthChanges) {
                headers.remove(HttpHeaderNames.CONTENT_LENGTH);
            }
            if (!headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
                if (exchange.oldClient) {
                    exchange.closeAfter = true;
                } else {
                    headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
                }
            }
        }
        exchange.closeAfter |= !exchange.clientKeepsAlive || !exchange.requestComplete;
        exchange.upstreamKeepsAlive = HttpUtil.isKeepAlive(response) && exchange.requestComplete;
        if (exchange.closeAfter) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (exchange.oldClient) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        return new DefaultHttpResponse(HttpVersion.HTTP_1_1, response.status(), headers);
    }

    /** The end of an answer. Trailers go to clients only that have asked for them. */
    static LastHttpContent end(LastHttpContent received, Exchange exchange) {
        if (!exchange.wantsTrailers || received.trailingHeaders().isEmpty()) {
            return LastHttpContent.EMPTY_LAST_CONTENT;
        }
        var end = new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER);
        end.trailingHeaders().set(headers(received.trailingHeaders(), exchange.forward.credentials()));
        return end;
    }

    /** What cleans the body of an answer with this head; null if there is nothing to look for. */
    static @Nullable Scrubber scrubber(int status, HttpHeaders received, Collection<Credential> credentials) {
        var encoding = received.get(HttpHeaderNames.CONTENT_ENCODING, "identity");
        var scrubber = isText(status, received) ? Scrubber.of(credentials) : Scrubber.keepingLength(credentials);
        return scrubber.isNeeded() && encoding.equalsIgnoreCase("identity") ? scrubber : null;
    }

    /** Texts get the placeholder back; other bodies, and parts of bodies, keep their length and offsets. */
    static boolean isText(int status, HttpHeaders received) {
        var type = received.get(HttpHeaderNames.CONTENT_TYPE, "text/plain").toLowerCase(Locale.ROOT);
        return status != 206
                && (type.startsWith("text/") || type.contains("json") || type.contains("xml") || type.contains("form"));
    }
}
