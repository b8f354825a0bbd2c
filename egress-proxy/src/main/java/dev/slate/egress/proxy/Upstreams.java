package dev.slate.egress.proxy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.AddressGuard;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.trust.UpstreamTrust;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Opens connections to real hosts. A name is resolved here and nowhere else, each address is checked, and exactly the
 * checked address is dialled. Failures are {@link RefusedException}s.
 */
public final class Upstreams {

    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    private final Resolver resolver;
    private final AddressGuard guard;
    private final UpstreamTrust trust;
    private final Executor background;

    public Upstreams(Resolver resolver, AddressGuard guard, UpstreamTrust trust, Executor background) {
        this.resolver = resolver;
        this.guard = guard;
        this.trust = trust;
        this.background = background;
    }

    /** Dials a host on an event loop; the handler gets the bytes. The channel does not read before it is told to. */
    Future<Channel> dial(
            EventLoop loop, Host host, int port, Set<HostName> privateHosts, Supplier<ChannelHandler> handler) {
        Promise<Channel> promise = loop.newPromise();
        try {
            background.execute(() -> {
                try {
                    var addresses = checked(host, port, privateHosts);
                    loop.execute(() -> connect(loop, addresses, 0, handler, promise));
                } catch (RefusedException e) {
                    promise.tryFailure(e);
                } catch (RuntimeException e) {
                    promise.tryFailure(new RefusedException(Reason.CONNECT_FAILED, e));
                }
            });
        } catch (RejectedExecutionException e) {
            promise.tryFailure(new RefusedException(Reason.CONNECT_FAILED, e));
        }
        return promise;
    }

    /** Dials an address of the platform itself, to which the guard does not apply. */
    Future<Channel> dialPlatform(EventLoop loop, InetSocketAddress address, Supplier<ChannelHandler> handler) {
        Promise<Channel> promise = loop.newPromise();
        connect(loop, List.of(address), 0, handler, promise);
        return promise;
    }

    /** Dials a host and puts verified TLS in front; the result is the channel once the host has proved its name. */
    Future<Channel> dialVerified(
            EventLoop loop, HostName host, int port, Set<HostName> privateHosts, Supplier<ChannelHandler> handler) {
        Promise<Channel> promise = loop.newPromise();
        dial(loop, host, port, privateHosts, handler).addListener((Future<Channel> dialled) -> {
            if (dialled.isSuccess()) {
                secure(dialled.getNow(), host, port, promise);
            } else {
                promise.tryFailure(dialled.cause());
            }
        });
        return promise;
    }

    private void secure(Channel channel, HostName host, int port, Promise<Channel> promise) {
        SslHandler tls = trust.newHandler(channel.alloc(), host.value(), port);
        channel.pipeline().addFirst("tls", tls);
        tls.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                promise.trySuccess(channel);
            } else {
                var _ = channel.close();
                promise.tryFailure(new RefusedException(Reason.UPSTREAM_UNVERIFIED, done.cause()));
            }
        });
        channel.read();
    }

    private List<InetSocketAddress> checked(Host host, int port, Set<HostName> privateHosts) {
        List<InetSocketAddress> all;
        try {
            all = switch (host) {
                case IpLiteral(var address) -> List.of(new InetSocketAddress(address, port));
                case HostName name -> resolver.resolve(name, port);
            };
        } catch (UnknownHostException e) {
            throw new RefusedException(Reason.NAME_NOT_FOUND, e);
        }
        var fine = all.stream()
                .filter(address -> guard.allows(host, address.getAddress(), privateHosts))
                .toList();
        if (fine.isEmpty()) {
            throw new RefusedException(Reason.ADDRESS_REFUSED, null);
        }
        return fine;
    }

    private static void connect(
            EventLoop loop,
            List<InetSocketAddress> addresses,
            int index,
            Supplier<ChannelHandler> handler,
            Promise<Channel> promise) {
        new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(handler.get())
                .connect(addresses.get(index))
                .addListener((ChannelFuture done) -> {
                    if (done.isSuccess()) {
                        if (!promise.trySuccess(done.channel())) {
                            var _ = done.channel().close();
                        }
                    } else if (index + 1 < addresses.size()) {
                        connect(loop, addresses, index + 1, handler, promise);
                    } else {
                        promise.tryFailure(new RefusedException(Reason.CONNECT_FAILED, done.cause()));
                    }
                });
    }
}
