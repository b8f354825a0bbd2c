package dev.slate.egress.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/** Counts the bytes on the wire of a client connection, TLS included. */
final class ByteMeter extends ChannelDuplexHandler {

    private final Connection connection;

    ByteMeter(Connection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        connection.countUp(((ByteBuf) message).readableBytes());
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        connection.countDown(((ByteBuf) message).readableBytes());
        var _ = context.write(message, promise);
    }
}
