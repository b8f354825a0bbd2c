package dev.slate.egress.proxy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.AddressGuard;
import dev.slate.egress.policy.AddressRules;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.trust.UpstreamTrust;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private final IdleUpstreams idle = new IdleUpstreams();

    public Upstreams(Resolver resolver, AddressGuard guard, UpstreamTrust trust, Executor background) {
        this.resolver = resolver;
        this.guard = guard;
        this.trust = trust;
        this.background = background;
    }

    /** Dials a host on an event loop; the handler gets the bytes. The channel does not read before it is told to. */
    Future<Channel> dial(EventLoop loop, Host host, int port, AddressRules rules, Supplier<ChannelHandler> handler) {
        Promise<Channel> promise = loop.newPromise();
        inBackground(promise, () -> {
            var addresses = checked(host, port, rules);
            loop.execute(() -> connect(loop, addresses, 0, handler, promise));
        });
        return promise;
    }

    /** Looks the addresses of a host up and dials none: fails where {@link #dial} would fail for them. */
    Future<Void> check(EventLoop loop, Host host, int port, AddressRules rules) {
        Promise<Void> promise = loop.newPromise();
        inBackground(promise, () -> {
            var _ = checked(host, port, rules);
            promise.trySuccess(null);
        });
        return promise;
    }

    /**
     * A connection for HTTP that the caller has for itself: one that is idle, or a new one.
     *
     * @param protocols what to offer the host if the route is verified (ALPN); {@link Http2#isSpoken} tells what it took
     */
    Future<Channel> open(Connection connection, Route route, List<String> protocols) {
        var loop = connection.client().eventLoop();
        for (var http2 : List.of(true, false)) {
            var wanted = protocols.isEmpty() ? !http2 : protocols.contains(http2 ? Http2.ALPN : Http2.OLD_ALPN);
            var kept = wanted ? idle.take(loop, connection.idleKey(route, http2)) : Optional.<Channel>empty();
            if (kept.isPresent()) {
                return loop.newSucceededFuture(kept.get());
            }
        }
        return switch (route) {
            case Route.Platform() -> {
                Promise<Channel> promise = loop.newPromise();
                var address = connection.plane().gateway().address();
                connect(loop, List.of(address), 0, HttpBack::initializer, promise);
                yield promise;
            }
            case Route.Plain(var host, var port) ->
                dial(loop, host, port, connection.addressRules(), HttpBack::initializer);
            case Route.Verified(var host, var port) -> {
                Promise<Channel> promise = loop.newPromise();
                dial(
                                loop,
                                host,
                                port,
                                connection.addressRules(),
                                () -> new Negotiation(trust, background, host, port, protocols, promise))
                        .addListener((Future<Channel> dialled) -> {
                            if (!dialled.isSuccess()) {
                                promise.tryFailure(dialled.cause());
                            }
                        });
                yield promise;
            }
        };
    }

    /** Takes a connection back that is ready for another request, or closes it. */
    void giveBack(Connection connection, Route route, Channel channel) {
        if (channel.isActive()) {
            HttpBack.detach(channel);
            idle.keep(channel.eventLoop(), connection.idleKey(route, Http2.isSpoken(channel)), channel);
        }
    }

    private void inBackground(Promise<?> promise, Runnable step) {
        try {
            background.execute(() -> {
                try {
                    step.run();
                } catch (RefusedException e) {
                    promise.tryFailure(e);
                } catch (RuntimeException e) {
                    promise.tryFailure(new RefusedException(Reason.CONNECT_FAILED, e));
                }
            });
        } catch (RejectedExecutionException e) {
            promise.tryFailure(new RefusedException(Reason.CONNECT_FAILED, e));
        }
    }

    private List<InetSocketAddress> checked(Host host, int port, AddressRules rules) {
        List<InetSocketAddress> all;
        try {
            all = switch (host) {
                case IpLiteral(var address) -> List.of(new InetSocketAddress(address, port));
                case HostName name -> resolver.resolve(name, port);
            };
        } catch (UnknownHostException e) {
            throw new RefusedException(Reason.NAME_NOT_FOUND, e);
        }
        var fine = new ArrayList<InetSocketAddress>();
        var refused = Optional.<AddressGuard.Verdict.Refused>empty();
        for (var address : all) {
            switch (guard.check(host, address.getAddress(), port, rules)) {
                case AddressGuard.Verdict.Fine() -> fine.add(address);
                case AddressGuard.Verdict.Refused verdict -> refused = Optional.of(verdict);
            }
        }
        if (fine.isEmpty()) {
            throw refused.map(verdict -> new RefusedException(verdict.reason(), verdict.rule(), null))
                    .orElseGet(() -> new RefusedException(Reason.NAME_NOT_FOUND, null));
        }
        return fine;
    }

    /** Whether an address that was dialled for a host may still be. */
    boolean permits(Host host, InetSocketAddress address, AddressRules rules) {
        return guard.check(host, address.getAddress(), address.getPort(), rules) instanceof AddressGuard.Verdict.Fine;
    }

    /**
     * The addresses that a host would be dialled at, looked up if it is a name.
     *
     * @return them, or why it would not be dialled
     */
    public Lookup look(Host host, int port, AddressRules rules) {
        try {
            return new Lookup.Found(checked(host, port, rules).stream()
                    .map(address -> address.getAddress().getHostAddress())
                    .toList());
        } catch (RefusedException e) {
            return new Lookup.Refused(e.reason(), e.rule());
        }
    }

    /** What a look-up gave. */
    public sealed interface Lookup {

        /** Addresses that may be dialled. */
        record Found(List<String> addresses) implements Lookup {
            public Found {
                addresses = List.copyOf(addresses);
            }
        }

        /** There is none; {@code rule} says what decided, if anything of the policy did. */
        record Refused(Reason reason, String rule) implements Lookup {}
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
