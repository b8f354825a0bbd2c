package dev.slate.egress.proxy;

import dev.slate.egress.host.Host;
import dev.slate.egress.host.HostName;
import dev.slate.egress.host.IpLiteral;
import dev.slate.egress.policy.Decision;
import dev.slate.egress.policy.NetworkPolicy;
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
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The first handler of every connection: collects the first bytes until it is clear who they are for, decides, and
 * replaces itself by what carries the decision out. Nothing has been answered or dialled before that.
 */
final class Gate extends ChannelInboundHandlerAdapter {

    private static final int DEADLINE_SECONDS = 5;
    /** On ports that may carry anything, a client this quiet waits for the server to speak first. */
    private static final int SILENCE_MILLIS = 500;
    /** TLS record headers on top of the hello itself, even if every record carried a single byte. */
    private static final int MOST_BYTES = 6 * ClientHello.MAX_LENGTH;

    private final Connection connection;
    private final ByteBuf seen;
    private boolean decided;

    Gate(Connection connection) {
        this.connection = connection;
        this.seen = connection.client().alloc().buffer(2048, MOST_BYTES);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!connection.register()) {
            decided = true;
            Resets.reset(context.channel());
            return;
        }
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
        if (seen.isReadable() || connection.port() == 443 || connection.port() == 80) {
            return;
        }
        raw();
    }

    private void inspect() {
        switch (FirstBytes.kind(seen)) {
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
            case ClientHello.Complete(var names, var encrypted) -> {
                var host = hostOf(names.size() == 1 ? Optional.of(names.getFirst()) : Optional.empty());
                if (host.isEmpty()) {
                    names.forEach(connection::claimed);
                    deny(names.isEmpty() ? Reason.NO_SERVER_NAME : Reason.BAD_SERVER_NAME, "");
                } else {
                    decideTls(host.get(), encrypted);
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

    private void decideTls(Host host, boolean encrypted) {
        var decision = connection.decide(host, Protocol.TLS);
        if (decision instanceof Decision.Deny(var reason, var rule)) {
            deny(reason, rule);
        } else if (!connection.addressFits(host)) {
            deny(Reason.ADDRESS_MISMATCH, decision.rule());
        } else if (decision instanceof Decision.Splice && encrypted && !isOpen()) {
            deny(Reason.ENCRYPTED_HELLO, decision.rule());
        } else if (decision instanceof Decision.Splice) {
            splice(host);
        } else if (host instanceof HostName name) {
            terminate(name);
        }
    }

    private boolean isOpen() {
        return connection
                .sandbox()
                .filter(s -> s.policy() instanceof NetworkPolicy.Open)
                .isPresent();
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
                .dial(client.eventLoop(), host, connection.port(), connection.privateHosts(), () -> new Relay(client))
                .addListener((Future<Channel> dialled) -> {
                    if (dialled.isSuccess()) {
                        join(dialled.getNow());
                    } else {
                        connection.reset(reason(dialled.cause()), "");
                    }
                });
    }

    private void join(Channel upstream) {
        var client = connection.client();
        if (!client.isActive()) {
            var _ = upstream.close();
            return;
        }
        connection.resolved((InetSocketAddress) upstream.remoteAddress());
        upstream.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        var _ = upstream.writeAndFlush(seen.retainedSlice());
        client.pipeline().replace(this, "relay", new Relay(upstream));
        client.config().setAutoRead(true);
        upstream.config().setAutoRead(true);
    }

    private void terminate(HostName host) {
        decided = true;
        var client = connection.client();
        client.config().setAutoRead(false);
        Promise<SslContext> ready = client.eventLoop().newPromise();
        try {
            connection.plane().background().execute(() -> {
                try {
                    ready.trySuccess(connection.plane().leaves().forHost(host.value()));
                } catch (RuntimeException e) {
                    ready.tryFailure(e);
                }
            });
        } catch (RejectedExecutionException e) {
            ready.tryFailure(e);
        }
        ready.addListener((Future<SslContext> made) -> {
            if (made.isSuccess() && client.isActive()) {
                var tls = made.getNow().newHandler(client.alloc());
                client.pipeline().addBefore(client.pipeline().context(this).name(), "tls", tls);
                serve(Optional.of(host));
            } else {
                connection.reset(Reason.BAD_HELLO, "");
            }
        });
    }

    private void http() {
        decided = true;
        serve(Optional.empty());
    }

    /** From here on it is HTTP; for TLS the handler in front of this one already has its place. */
    private void serve(Optional<HostName> serverName) {
        var client = connection.client();
        var pipeline = client.pipeline();
        var decoder = new RequestDecoder();
        var encoder = new ResponseEncoder();
        var first = seen.retainedSlice();
        pipeline.addLast("request", decoder);
        pipeline.addLast("response", encoder);
        pipeline.addLast(
                "exchange", new HttpFront(connection, new RequestRules(connection, serverName), decoder, encoder));
        pipeline.remove(this);
        pipeline.context(ByteMeter.class).fireChannelRead(first);
        pipeline.context(ByteMeter.class).fireChannelReadComplete();
        client.config().setAutoRead(true);
    }

    static Reason reason(Throwable cause) {
        return cause instanceof RefusedException refused ? refused.reason() : Reason.CONNECT_FAILED;
    }
}
