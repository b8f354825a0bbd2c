package dev.slate.egress.proxy;

import dev.slate.egress.host.HostName;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.trust.UpstreamTrust;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Puts verified TLS on a new connection to a host and, once the host has proved its name, the protocol that it chose.
 * The promise is kept after that.
 */
final class Negotiation extends ApplicationProtocolNegotiationHandler {

    private final UpstreamTrust trust;
    private final Executor worker;
    private final HostName host;
    private final int port;
    private final List<String> protocols;
    private final Promise<Channel> promise;

    Negotiation(
            UpstreamTrust trust,
            Executor worker,
            HostName host,
            int port,
            List<String> protocols,
            Promise<Channel> promise) {
        super(Http2.OLD_ALPN);
        this.trust = trust;
        this.worker = worker;
        this.host = host;
        this.port = port;
        this.protocols = protocols;
        this.promise = promise;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
        var tls = trust.newHandler(context.alloc(), host.value(), port, protocols, worker);
        context.pipeline().addFirst("tls", tls);
        super.handlerAdded(context);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.read();
        context.fireChannelActive();
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext context, String protocol) {
        if (protocol.equals(Http2.ALPN)) {
            Http2.addTowardsHost(context.pipeline());
        } else {
            HttpBack.addTo(context.pipeline());
        }
        if (!promise.trySuccess(context.channel())) {
            var _ = context.close();
        }
    }

    @Override
    protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
        promise.tryFailure(new RefusedException(Reason.UPSTREAM_UNVERIFIED, cause));
        var _ = context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        promise.tryFailure(new RefusedException(Reason.UPSTREAM_UNVERIFIED, null));
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        promise.tryFailure(new RefusedException(Reason.UPSTREAM_UNVERIFIED, cause));
        var _ = context.close();
    }
}
