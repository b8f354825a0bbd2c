package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDecoderTest {

    private static final String CHUNKED = "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5, 5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: +5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0x5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length:\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding : chunked\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: xchunked\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\r\n b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\n\tX: a\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\n b.test\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\u0000b.test\r\n\r\n",
                "GET /\u0001 HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "GET /\u00e9 HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: identity\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: \u000bchunked\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1_000\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n",
                "GET / HTTP/1.1\nHost: a.test\n\n",
                "GET / HTTP/1.1\r\nHost: a.test\nX: y\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\rb\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\u0000b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\nX y: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.test\r\n: a\r\n\r\n",
                "GET /a b HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "GET /a#b HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "GET / HTTP/2.0\r\nHost: a.test\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "G@T / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
            })
    void d41_d44_d47_refusesWhatTwoParsersCouldReadDifferently(String request) {
        assertThat(decode(request)).last().isInstanceOf(BadRequest.class);
        assertThat(decode(request)).noneMatch(HttpRequest.class::isInstance);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5\nhello\r\n0\r\n\r\n",
                "5\r\nhello\n0\r\n\r\n",
                "5;a=\"b\r\n\"\r\nhello\r\n0\r\n\r\n",
                "5;a=\"b\"\r\nhello\r\n0\r\n\r\n",
                "5;a\nb\r\nhello\r\n0\r\n\r\n",
                "5;\r\rhello\r\n0\r\n\r\n",
                "5\r\nhello0\r\n\r\n",
                "0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "0\r\nX: a\u0000b\r\n\r\n",
                "0\r\n X: a\r\n\r\n",
                "10000000000000000\r\n",
                "-5\r\nhello\r\n",
                "0x5\r\nhello\r\n",
                "5 \r\nhello\r\n",
                "5\r\nhelloworld\r\n0\r\n\r\n",
                "0\r\nAuthorization: x\r\n\r\n",
                "0\r\nHost: b.test\r\n\r\n",
                "0\r\nContent-Length: 5\r\n\r\n",
            })
    void d45_refusesLooseChunks(String body) {
        assertThat(decode(CHUNKED + body)).last().isInstanceOf(BadRequest.class);
    }

    @Test
    void d45_d47_refusesEndlessHeadsAndChunkLines() {
        assertThat(decode("GET / HTTP/1.1\r\nHost: a.test\r\nX: " + "a".repeat(70_000)))
                .last()
                .isEqualTo(new BadRequest(431, "the headers are longer than 65536 bytes"));
        assertThat(decode(CHUNKED + "5;" + "a".repeat(1000))).last().isInstanceOf(BadRequest.class);
    }

    @Test
    void readsTheSameWhateverTheSegments() {
        var request = CHUNKED + "5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n";

        var decoder = new EmbeddedChannel(new RequestDecoder());
        for (var b : request.getBytes(ISO_8859_1)) {
            decoder.writeInbound(Unpooled.wrappedBuffer(new byte[] {b}));
        }

        assertThat(body(drain(decoder))).isEqualTo("hello world");
        assertThat(body(decode(request))).isEqualTo("hello world");
    }

    @Test
    void d46_keepsAPipelinedRequestUntilItsTurn() throws Exception {
        var decoder = new RequestDecoder();
        var channel = new EmbeddedChannel(decoder);
        var request = "GET /%s HTTP/1.1\r\nHost: a.test\r\n\r\n";

        channel.writeInbound(Unpooled.copiedBuffer(request.formatted("one") + request.formatted("two"), ISO_8859_1));
        var before = drain(channel);
        decoder.resume(channel.pipeline().context(decoder));
        var after = drain(channel);

        assertThat(before).hasSize(2);
        assertThat(((HttpRequest) before.getFirst()).uri()).isEqualTo("/one");
        assertThat(((HttpRequest) after.getFirst()).uri()).isEqualTo("/two");
    }

    private static List<Object> decode(String text) {
        var channel = new EmbeddedChannel(new RequestDecoder());
        channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
        return drain(channel);
    }

    private static List<Object> drain(EmbeddedChannel channel) {
        var messages = new ArrayList<Object>();
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            messages.add(message);
        }
        return messages;
    }

    private static String body(List<Object> messages) {
        assertThat(messages).last().isInstanceOf(LastHttpContent.class);
        var body = new StringBuilder();
        messages.stream()
                .filter(HttpContent.class::isInstance)
                .forEach(
                        message -> body.append(((HttpContent) message).content().toString(ISO_8859_1)));
        return body.toString();
    }
}
