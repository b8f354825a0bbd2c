package dev.slate.egress.proxy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.Decision;
import dev.slate.egress.policy.Protocol;
import dev.slate.egress.policy.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The first handler of every connection: collects the first bytes until it is clear who they are for, decides, and
 * replaces itself by what carries the decision out. Nothing has been answered or dialled before that.
 */
final class Gate extends ChannelInboundHandlerAdapter {

    private static final int DEADLINE_SECONDS = 5;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    /** On ports that may carry anything, a client this quiet waits for the server to speak first. */
    private static final int SILENCE_MILLIS = 500;
    /** TLS record headers on top of the hello itself, even if every record carried a single byte. */
    private static final int MOST_BYTES = 6 * ClientHello.MAX_LENGTH;

    private final Connection connection;
    private final boolean inTunnel;
    private final ByteBuf seen;
    private boolean decided;
    private boolean handedOver;

    /** For a new connection. */
    Gate(Connection connection) {
        this(connection, false);
    }

    /** @param inTunnel whether the connection is open already and was told by CONNECT where it leads */
    Gate(Connection connection, boolean inTunnel) {
        this.connection = connection;
        this.inTunnel = inTunnel;
        this.seen = connection.client().alloc().buffer(2048, MOST_BYTES);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!connection.register()) {
            decided = true;
            Resets.reset(context.channel());
            return;
        }
        watch(context);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (inTunnel) {
            watch(context);
        }
    }

    private void watch(ChannelHandlerContext context) {
        var loop = context.executor();
        var deadline = loop.schedule(
                () -> undecided(() -> connection.reset(Reason.HELLO_TIMEOUT, "")), DEADLINE_SECONDS, TimeUnit.SECONDS);
        var silence = loop.schedule(() -> undecided(this::silent), SILENCE_MILLIS, TimeUnit.MILLISECONDS);
        context.channel().closeFuture().addListener(_ -> {
            deadline.cancel(false);
            silence.cancel(false);
        });
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        seen.release();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var bytes = (ByteBuf) message;
        try {
            if (bytes.readableBytes() > seen.maxWritableBytes()) {
                undecided(() -> connection.reset(Reason.BAD_HELLO, ""));
                return;
            }
            seen.writeBytes(bytes);
        } finally {
            bytes.release();
        }
        undecided(this::inspect);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Resets.reset(context.channel());
    }

    private void undecided(Runnable step) {
        if (!decided) {
            step.run();
        }
    }

    private void silent() {
        if (seen.isReadable() || connection.port() == 443 || connection.port() == 80 || connection.isExplicit()) {
            return;
        }
        raw();
    }

    private void inspect() {
        var kind = FirstBytes.kind(seen);
        if (connection.isExplicit() && (kind == FirstBytes.Kind.TLS || kind == FirstBytes.Kind.OTHER)) {
            deny(Reason.WRONG_PROTOCOL, "");
            return;
        }
        switch (kind) {
            case UNCLEAR -> {}
            case TLS -> hello();
            case HTTP -> http();
            case OTHER -> raw();
        }
    }

    private void hello() {
        switch (ClientHello.parse(seen.nioBuffer())) {
            case ClientHello.Incomplete _ -> {}
            case ClientHello.Malformed _ -> deny(Reason.BAD_HELLO, "");
            case ClientHello.Complete(var names, var protocols, var encrypted) -> {
                var host = hostOf(names.size() == 1 ? Optional.of(names.getFirst()) : Optional.empty());
                if (host.isEmpty()) {
                    names.forEach(connection::claimed);
                    deny(names.isEmpty() ? Reason.NO_SERVER_NAME : Reason.BAD_SERVER_NAME, "");
                } else {
                    decideTls(host.get(), protocols, encrypted);
                }
            }
        }
    }

    /** Without a name, a connection to a real address is for this address; to a synthetic one it is for nobody. */
    private Optional<Host> hostOf(Optional<String> serverName) {
        if (serverName.isPresent()) {
            return Host.tryParse(serverName.get());
        }
        return connection.hostByAddress().filter(IpLiteral.class::isInstance);
    }

    private void decideTls(Host host, List<String> protocols, boolean encrypted) {
        var decision = connection.decide(host, Protocol.TLS);
        if (decision instanceof Decision.Deny(var reason, var rule)) {
            deny(reason, rule);
        } else if (!connection.addressFits(host)) {
            deny(Reason.ADDRESS_MISMATCH, decision.rule());
        } else if (decision instanceof Decision.Splice && encrypted && !connection.permitsHiddenName()) {
            deny(Reason.ENCRYPTED_HELLO, decision.rule());
        } else if (decision instanceof Decision.Splice) {
            splice(host);
        } else if (host instanceof HostName name) {
            afterItsTurn(() -> prepare(name, protocols, decision));
        }
    }

    /** Handshakes are what costs the most: a sandbox that starts very many at once waits. */
    private void afterItsTurn(Runnable step) {
        decided = true;
        var client = connection.client();
        client.config().setAutoRead(false);
        var wait = connection.handshakeDelay();
        if (wait.compareTo(LONGEST_WAIT) > 0) {
            connection.reset(Reason.TOO_MANY_CONNECTIONS, "");
        } else if (wait.isZero()) {
            step.run();
        } else {
            var _ = client.eventLoop()
                    .schedule(
                            () -> {
                                if (client.isActive()) {
                                    step.run();
                                }
                            },
                            wait.toNanos(),
                            TimeUnit.NANOSECONDS);
        }
    }

    /**
     * A client that offers HTTP/2 gets it if the host speaks it too, which only the host knows: so its connection is
     * made first. Both sides then speak the same protocol, and nothing is ever translated.
     */
    private void prepare(HostName host, List<String> protocols, Decision decision) {
        var offered = List.of(Http2.ALPN, Http2.OLD_ALPN).stream()
                .filter(protocols::contains)
                .toList();
        if (!offered.contains(Http2.ALPN) || decision instanceof Decision.Gateway || !connection.mayHttp2()) {
            terminate(host, null, false);
            return;
        }
        var upstreams = connection.plane().upstreams();
        upstreams
                .open(connection, new Route.Verified(host, connection.port()), offered)
                .addListener((Future<Channel> opened) -> {
                    var http2 = opened.isSuccess() && Http2.isSpoken(opened.getNow());
                    connection.client().closeFuture().addListener(_ -> {
                        if (opened.isSuccess() && !handedOver) {
                            var _ = opened.getNow().close();
                        }
                    });
                    terminate(host, opened, http2);
                });
    }

    private void raw() {
        var host = connection.hostByAddress();
        if (host.isEmpty()) {
            deny(Reason.ADDRESS_MISMATCH, "");
            return;
        }
        if (connection.decide(host.get(), Protocol.TCP) instanceof Decision.Deny(var reason, var rule)) {
            deny(reason, rule);
        } else {
            splice(host.get());
        }
    }

    private void deny(Reason reason, String rule) {
        decided = true;
        connection.reset(reason, rule);
    }

    private void splice(Host host) {
        decided = true;
        var client = connection.client();
        client.config().setAutoRead(false);
        client.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        connection
                .plane()
                .upstreams()
                .dial(client.eventLoop(), host, connection.port(), connection.addressRules(), () -> new Relay(client))
                .addListener((Future<Channel> dialled) -> {
                    if (dialled.isSuccess()) {
                        join(dialled.getNow());
                    } else {
                        connection.reset(reason(dialled.cause()), rule(dialled.cause()));
                    }
                });
    }

    private void join(Channel upstream) {
        var client = connection.client();
        if (!client.isActive()) {
            var _ = upstream.close();
            return;
        }
        if (!connection.resolved((InetSocketAddress) upstream.remoteAddress())) {
            var _ = upstream.close();
            return;
        }
        upstream.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        var _ = upstream.writeAndFlush(seen.retainedSlice());
        client.pipeline().replace(this, "relay", new Relay(upstream));
        client.config().setAutoRead(true);
        upstream.config().setAutoRead(true);
    }

    private void terminate(HostName host, @Nullable Future<Channel> prepared, boolean http2) {
        var client = connection.client();
        var protocol = http2 ? Http2.ALPN : Http2.OLD_ALPN;
        Promise<SslContext> ready = client.eventLoop().newPromise();
        try {
            connection.plane().background().execute(() -> {
                try {
                    ready.trySuccess(connection.plane().leaves().forHost(host.value(), protocol));
                } catch (RuntimeException e) {
                    ready.tryFailure(e);
                }
            });
        } catch (RejectedExecutionException e) {
            ready.tryFailure(e);
        }
        ready.addListener((Future<SslContext> made) -> {
            if (made.isSuccess() && client.isActive()) {
                var tls = made.getNow()
                        .newHandler(client.alloc(), connection.plane().background());
                client.pipeline().addBefore(client.pipeline().context(this).name(), "tls", tls);
                handedOver = true;
                if (http2 && prepared != null) {
                    serveHttp2(host, prepared);
                } else {
                    serve(Optional.of(host), prepared);
                }
            } else {
                connection.reset(Reason.BAD_HELLO, "");
            }
        });
    }

    private void http() {
        decided = true;
        serve(Optional.empty(), null);
    }

    private void serveHttp2(HostName host, Future<Channel> prepared) {
        connection.http2();
        var rules = new RequestRules(connection, Optional.of(host));
        var front = new Http2Front(connection, rules, new Route.Verified(host, connection.port()), prepared);
        Http2.addTowardsClient(connection.client().pipeline(), front);
        goOn();
    }

    /** From here on it is HTTP; for TLS the handler in front of this one already has its place. */
    private void serve(Optional<HostName> serverName, @Nullable Future<Channel> prepared) {
        var pipeline = connection.client().pipeline();
        var decoder = new RequestDecoder();
        var encoder = new ResponseEncoder();
        pipeline.addLast("request", decoder);
        pipeline.addLast("response", encoder);
        if (connection.isExplicit()) {
            pipeline.addLast("tunnel", new TunnelFront(connection));
        }
        // TLS has an end of its own.
        connection.client().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, serverName.isEmpty());
        var rules = new RequestRules(connection, serverName);
        pipeline.addLast("exchange", new HttpFront(connection, rules, decoder, encoder, prepared));
        goOn();
    }

    /** What was read so far goes to the handlers that are there now. */
    private void goOn() {
        var client = connection.client();
        var pipeline = client.pipeline();
        var first = seen.retainedSlice();
        pipeline.remove(this);
        pipeline.context(ByteMeter.class).fireChannelRead(first);
        pipeline.context(ByteMeter.class).fireChannelReadComplete();
        client.config().setAutoRead(true);
    }

    /** What of the policy was against it, if anything was. */
    static String rule(Throwable cause) {
        return cause instanceof RefusedException refused ? refused.rule() : "";
    }

    static Reason reason(Throwable cause) {
        return cause instanceof RefusedException refused ? refused.reason() : Reason.CONNECT_FAILED;
    }
}
