package dev.slate.egress.proxy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Takes the connections of sandboxes. The firewall hands them over unchanged, so the local address of a connection is
 * the address that the sandbox dialled.
 */
public final class ProxyServer implements AutoCloseable {

    private static final int BACKLOG = 4096;

    private final DataPlane plane;
    private final EventLoopGroup loops;
    private final boolean transparent;
    private final Function<SocketChannel, InetSocketAddress> destination;
    private final List<Channel> listeners = new ArrayList<>();

    /** A server that sees original destinations; needs the right to administer the network. */
    public static ProxyServer transparent(DataPlane plane, EventLoopGroup loops) {
        return new ProxyServer(plane, loops, true, SocketChannel::localAddress);
    }

    /** For tests, where nothing diverts connections: the function says what a connection was for. */
    static ProxyServer direct(
            DataPlane plane, EventLoopGroup loops, Function<SocketChannel, InetSocketAddress> destination) {
        return new ProxyServer(plane, loops, false, destination);
    }

    private ProxyServer(
            DataPlane plane,
            EventLoopGroup loops,
            boolean transparent,
            Function<SocketChannel, InetSocketAddress> destination) {
        this.plane = plane;
        this.loops = loops;
        this.transparent = transparent;
        this.destination = destination;
    }

    /** Listens; the answer is the real address. */
    public InetSocketAddress listen(InetSocketAddress address) {
        var bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        var connection = new Connection(plane, channel, destination.apply(channel));
                        channel.pipeline().addLast("meter", new ByteMeter(connection));
                        channel.pipeline().addLast("gate", new Gate(connection));
                    }
                });
        if (transparent) {
            bootstrap.option(EpollChannelOption.IP_TRANSPARENT, true);
        }
        var listener = bootstrap.bind(address).syncUninterruptibly().channel();
        listeners.add(listener);
        return (InetSocketAddress) listener.localAddress();
    }

    @Override
    public void close() {
        listeners.forEach(listener -> listener.close().syncUninterruptibly());
    }
}
