package dev.slate.egress.dns;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Takes DNS questions over UDP and TCP on one port. */
public final class DnsServer implements AutoCloseable {

    /** No honest question comes near this. */
    private static final int MAX_MESSAGE = 4096;

    private static final int IDLE_SECONDS = 10;

    /** A sandbox that wants more DNS connections at once than this, or one for longer, is not resolving names. */
    private static final int MOST_STREAMS = 16;

    private static final int STREAM_SECONDS = 60;

    private final Map<InetAddress, Integer> open = new ConcurrentHashMap<>();
    private final DnsAnswers answers;
    private final Channel udp;
    private final Channel tcp;

    public DnsServer(DnsAnswers answers, EventLoopGroup loops, InetSocketAddress address) {
        this.answers = answers;
        this.tcp = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        var source = channel.remoteAddress().getAddress();
                        int streams = open.merge(source, 1, Integer::sum);
                        channel.closeFuture()
                                .addListener(_ -> open.computeIfPresent(source, (_, n) -> n == 1 ? null : n - 1));
                        if (streams > MOST_STREAMS) {
                            var _ = channel.close();
                            return;
                        }
                        var _ = channel.eventLoop()
                                .schedule(
                                        () -> {
                                            var _ = channel.close();
                                        },
                                        STREAM_SECONDS,
                                        TimeUnit.SECONDS);
                        channel.pipeline()
                                .addLast(
                                        new ReadTimeoutHandler(IDLE_SECONDS),
                                        new LengthFieldBasedFrameDecoder(MAX_MESSAGE, 0, 2, 0, 2),
                                        new LengthFieldPrepender(2),
                                        new Stream());
                    }
                })
                .bind(address)
                .syncUninterruptibly()
                .channel();
        this.udp = new Bootstrap()
                .group(loops)
                .channel(EpollDatagramChannel.class)
                .handler(new Datagrams())
                .bind(tcp.localAddress())
                .syncUninterruptibly()
                .channel();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) tcp.localAddress();
    }

    @Override
    public void close() {
        udp.close().syncUninterruptibly();
        tcp.close().syncUninterruptibly();
    }

    private final class Datagrams extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            var sender = packet.sender();
            answers.answer(ByteBufUtil.getBytes(packet.content()), sender.getAddress())
                    .ifPresent(answer -> {
                        var _ = context.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(answer), sender));
                    });
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // A datagram that could not be sent; the client asks again.
        }
    }

    private final class Stream extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            var source = ((InetSocketAddress) context.channel().remoteAddress()).getAddress();
            var answer = answers.answer(ByteBufUtil.getBytes(message), source);
            var _ = answer.isPresent() ? context.writeAndFlush(Unpooled.wrappedBuffer(answer.get())) : context.close();
            if (!context.channel().isWritable()) {
                // It asks and does not read.
                var _ = context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var _ = context.close();
        }
    }
}
