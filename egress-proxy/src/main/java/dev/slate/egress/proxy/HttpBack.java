package dev.slate.egress.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * The end of an HTTP/1.1 connection to a host: hands all that comes to the {@link HttpFront} it belongs to. While it
 * belongs to none, a host that sends something has no request to answer and loses the connection.
 */
final class HttpBack extends ChannelInboundHandlerAdapter {

    private @Nullable HttpFront front;

    /** Makes a new connection one of HTTP/1.1. */
    static ChannelHandler initializer() {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                addTo(channel.pipeline());
            }
        };
    }

    static void addTo(ChannelPipeline pipeline) {
        pipeline.addLast("http", codec());
        pipeline.addLast("back", new HttpBack());
    }

    private static ChannelHandler codec() {
        var limits = new HttpDecoderConfig()
                .setMaxInitialLineLength(16 * 1024)
                .setMaxHeaderSize(64 * 1024)
                .setMaxChunkSize(64 * 1024);
        return new HttpClientCodec(limits, false, false);
    }

    /** Gives the connection to a front. */
    static void attach(Channel channel, HttpFront front) {
        var back = channel.pipeline().get(HttpBack.class);
        if (back != null) {
            back.front = front;
        }
    }

    /** Takes the connection from its front. What the host has sent beyond its last answer ends it. */
    static void detach(Channel channel) {
        var back = channel.pipeline().get(HttpBack.class);
        if (back != null) {
            back.front = null;
            // The old codec hands on what it holds.
            channel.pipeline().replace("http", "http", codec());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (front == null) {
            ReferenceCountUtil.release(message);
            var _ = context.close();
        } else {
            front.answer(context.channel(), message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (front != null) {
            front.answerFlush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (front != null) {
            front.updateReading();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (front != null) {
            front.upstreamClosed(context.channel());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var _ = context.close();
    }
}
