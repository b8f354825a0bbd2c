package dev.slate.egress.proxy;

import dev.slate.egress.policy.Reason;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection of a client. Each of its streams becomes one of a single connection to the host, which no other
 * client shares. Confined to one event loop.
 */
final class Http2Front extends ChannelInboundHandlerAdapter {

    private static final int IDLE_SECONDS = 120;

    private final Connection connection;
    private final RequestRules rules;
    private final Route route;
    private Future<Channel> upstream;
    private @Nullable ScheduledFuture<?> idle;

    /** @param upstream the connection that showed that the host speaks HTTP/2 */
    Http2Front(Connection connection, RequestRules rules, Route route, Future<Channel> upstream) {
        this.connection = connection;
        this.rules = rules;
        this.route = route;
        this.upstream = upstream;
    }

    Connection connection() {
        return connection;
    }

    RequestRules rules() {
        return rules;
    }

    /** A stream to the host, on a new connection if the last one takes no more. */
    Future<Http2StreamChannel> stream(ChannelHandler handler) {
        if (upstream.isDone() && !(upstream.isSuccess() && Http2.isUsable(upstream.getNow()))) {
            upstream = connection.plane().upstreams().open(connection, route, List.of(Http2.ALPN));
        }
        Promise<Http2StreamChannel> promise = connection.client().eventLoop().newPromise();
        upstream.addListener((Future<Channel> opened) -> {
            if (!opened.isSuccess()) {
                promise.tryFailure(opened.cause());
            } else if (!Http2.isSpoken(opened.getNow())) {
                var _ = opened.getNow().close();
                promise.tryFailure(new RefusedException(Reason.UPSTREAM_FAILED, null));
            } else if (!connection.resolved((InetSocketAddress) opened.getNow().remoteAddress())) {
                promise.tryFailure(new RefusedException(Reason.POLICY_CHANGED, null));
            } else {
                var _ = new Http2StreamChannelBootstrap(opened.getNow())
                        .handler(handler)
                        .open(promise);
            }
        });
        return promise;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        idle = context.executor()
                .scheduleAtFixedRate(new Watch(context.channel()), IDLE_SECONDS, IDLE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (idle != null) {
            idle.cancel(false);
        }
    }

    /** Closes a connection that had no stream at two looks one after the other and was asked for none between. */
    private final class Watch implements Runnable {
        private final Channel client;
        private int requests = -1;

        private Watch(Channel client) {
            this.client = client;
        }

        @Override
        public void run() {
            if (Http2.streams(client) == 0 && requests == connection.requests()) {
                var _ = client.close();
            }
            requests = connection.requests();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        // Settings, pings and the like: the codec has dealt with them.
        ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            connection.refuse(Reason.CLIENT_TLS_FAILED, "");
        } else if (event == Http2FrameLimit.Event.FLOOD) {
            connection.refuse(Reason.BAD_REQUEST, "");
            var client = context.channel();
            context.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.ENHANCE_YOUR_CALM))
                    .addListener(_ -> Resets.reset(client));
            // Whoever floods may not read the goodbye.
            var _ = context.executor().schedule(() -> Resets.reset(client), 1, TimeUnit.SECONDS);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        upstream.addListener((Future<Channel> opened) -> {
            if (opened.isSuccess()) {
                // Streams end first: they hear of the end of the client in the same turn.
                var host = opened.getNow();
                host.eventLoop().execute(() -> leave(host));
            }
        });
    }

    private void leave(Channel host) {
        if (Http2.isUsable(host) && Http2.streams(host) == 0) {
            connection.plane().upstreams().giveBack(connection, route, host);
        } else {
            var _ = host.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // The codec answers with GOAWAY and closes.
        connection.refuse(Reason.BAD_REQUEST, "");
    }
}
