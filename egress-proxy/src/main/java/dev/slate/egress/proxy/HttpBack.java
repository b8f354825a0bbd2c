package dev.slate.egress.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The end of a connection to a host: hands all that comes to the {@link HttpFront} it belongs to. */
final class HttpBack extends ChannelInboundHandlerAdapter {

    private final HttpFront front;

    HttpBack(HttpFront front) {
        this.front = front;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        front.answer(context.channel(), message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        front.answerFlush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        front.updateReading();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        front.upstreamClosed(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var _ = context.close();
    }
}
