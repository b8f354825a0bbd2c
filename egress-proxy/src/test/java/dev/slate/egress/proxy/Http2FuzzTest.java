package dev.slate.egress.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.egress.Fuzz;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class Http2FuzzTest {

    /** Frames and the compression of headers: whatever comes, the connection goes on, or ends as the RFC says. */
    @Test
    void everyInputIsServedOrEndsTheConnection() {
        Fuzz.run("http2", (input, random) -> {
            var heads = new ArrayList<String>();
            var channel = new EmbeddedChannel();
            Http2.addTowardsClient(channel.pipeline(), () -> new Reader(heads));
            channel.pipeline().addLast(new End());
            for (var at = 0; at < input.length && channel.isOpen(); ) {
                var length = Math.min(input.length - at, 1 + random.nextInt(200));
                channel.writeInbound(Unpooled.copiedBuffer(input, at, length));
                at += length;
            }
            channel.runPendingTasks();
            channel.finishAndReleaseAll();
            // What came through can be written as HTTP/1.1 without becoming two requests.
            assertThat(heads).noneMatch(head -> head.contains("\r") || head.contains("\n"));
        });
    }

    private static final class Reader extends ChannelInboundHandlerAdapter {
        private final List<String> heads;

        private Reader(List<String> heads) {
            this.heads = heads;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof Http2HeadersFrame frame) {
                try {
                    heads.add(Http2Heads.request(frame.headers()).toString().replace(System.lineSeparator(), " "));
                } catch (IllegalArgumentException _) {
                    var _ = context.close();
                }
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            assertThat(cause).isInstanceOf(Http2Exception.class);
        }
    }

    private static final class End extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            assertThat(message).isNotInstanceOf(ByteBuf.class);
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            assertThat(cause).isInstanceOf(Http2Exception.class);
        }
    }
}
