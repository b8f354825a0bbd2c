package dev.slate.egress.proxy;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;

/** Hands bytes to the other side untouched, reads no faster than that side writes, and passes on how it ends. */
final class Relay extends ChannelInboundHandlerAdapter {

    private final Channel peer;

    Relay(Channel peer) {
        this.peer = peer;
    }

    /** Joins two channels, both on the same event loop. */
    static void start(Channel client, Channel upstream) {
        client.config().setAutoRead(true);
        upstream.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var _ = peer.write(message);
        if (!peer.isWritable()) {
            peer.flush();
            context.channel().config().setAutoRead(peer.isWritable());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        peer.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            peer.config().setAutoRead(true);
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent && peer.isActive()) {
            var here = (DuplexChannel) context.channel();
            peer.flush();
            ((DuplexChannel) peer).shutdownOutput().addListener(_ -> {
                if (here.isOutputShutdown()) {
                    var _ = here.close();
                    var _ = peer.close();
                }
            });
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Resets.reset(peer);
        Resets.reset(context.channel());
    }
}
