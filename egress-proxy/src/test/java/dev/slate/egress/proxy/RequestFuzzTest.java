package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.Fuzz;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestFuzzTest {

    @Test
    void everyInputIsReadTheSameInWhateverPieces() {
        Fuzz.run(
                "request",
                (input, random) -> assertThat(read(input, random, input.length))
                        .isEqualTo(read(input, random, 1 + random.nextInt(20))));
    }

    /** What the decoder makes of it, as text; pipelined requests follow each other. */
    private static String read(byte[] input, Random random, int longestPiece) throws Exception {
        var decoder = new RequestDecoder();
        var channel = new EmbeddedChannel(decoder);
        var text = new StringBuilder();
        for (var at = 0; at < input.length; ) {
            var length = Math.min(
                    input.length - at, longestPiece == input.length ? longestPiece : 1 + random.nextInt(longestPiece));
            channel.writeInbound(Unpooled.copiedBuffer(input, at, length));
            at += length;
            while (drain(channel, text)) {
                decoder.resume(channel.pipeline().context(decoder));
            }
        }
        channel.finishAndReleaseAll();
        return text.toString();
    }

    /** True after the end of a request. */
    private static boolean drain(EmbeddedChannel channel, StringBuilder text) {
        var ended = false;
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            switch (message) {
                case HttpRequest request ->
                    text.append(request.method()).append(request.uri()).append(request.headers());
                case BadRequest bad -> text.append(bad);
                case HttpContent content -> text.append(content.content().toString(ISO_8859_1));
                default -> throw new AssertionError(message);
            }
            ended |= message instanceof LastHttpContent;
            ReferenceCountUtil.release(message);
        }
        return ended;
    }
}
