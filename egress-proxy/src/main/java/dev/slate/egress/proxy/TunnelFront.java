package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.slate.egress.host.Host;
import dev.slate.egress.policy.Decision;
import dev.slate.egress.policy.Protocol;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.proxy.RequestRules.Outcome;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;

/**
 * Answers CONNECT on the explicit port. A tunnel that the policy allows starts with a {@link Gate} of its own, which
 * treats it like a connection that dialled the host. Other requests go on to the {@link HttpFront}.
 */
final class TunnelFront extends ChannelInboundHandlerAdapter {

    private static final byte[] ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n".getBytes(US_ASCII);

    private final Connection connection;
    private boolean connecting;

    TunnelFront(Connection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (connecting) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest request && request.method().equals(HttpMethod.CONNECT)) {
            connecting = true;
            connect(context, request);
        } else {
            context.fireChannelRead(message);
        }
    }

    private void connect(ChannelHandlerContext context, HttpRequest request) {
        connection.request("CONNECT", request.uri());
        var target = Target.ofConnect(request.uri());
        if (RequestHead.bodyLength(request) != 0) {
            refuse(context, 400, Reason.BAD_REQUEST, "", "");
            return;
        }
        if (target.isEmpty()) {
            refuse(context, 403, Reason.BAD_TARGET, "", "");
            return;
        }
        var host = target.get().host();
        var port = target.get().port().orElseThrow();
        connection.aim(host, port);
        // What it carries is decided again by its first bytes; here it is what the port is for.
        var decision = connection.decide(host, port == 80 ? Protocol.HTTP : Protocol.TLS);
        switch (decision) {
            case Decision.Deny(var reason, var rule) -> refuse(context, 403, reason, host.value(), rule);
            case Decision.Gateway _ -> establish(context);
            default -> establishIfReachable(context, host, port);
        }
    }

    /** The name is looked up now, so that the answer can say what is wrong; the dial looks again. */
    private void establishIfReachable(ChannelHandlerContext context, Host host, int port) {
        connection
                .plane()
                .upstreams()
                .check(connection.client().eventLoop(), host, port, connection.addressRules())
                .addListener((Future<Void> checked) -> {
                    if (checked.isSuccess()) {
                        establish(context);
                    } else {
                        var reason = Gate.reason(checked.cause());
                        refuse(
                                context,
                                reason.isDenial() ? 403 : 502,
                                reason,
                                host.value(),
                                Gate.rule(checked.cause()));
                    }
                });
    }

    private void establish(ChannelHandlerContext context) {
        // Not from here: this may run inside the decoder, which has the end of the request still to hand on.
        context.executor().execute(() -> open(context));
    }

    private void open(ChannelHandlerContext context) {
        if (!context.channel().isActive()) {
            return;
        }
        connection.tunnel();
        var pipeline = context.pipeline();
        pipeline.remove("exchange");
        pipeline.remove("response");
        var _ = pipeline.writeAndFlush(Unpooled.wrappedBuffer(ESTABLISHED));
        pipeline.addLast("gate", new Gate(connection, true));
        pipeline.remove(this);
        // Last, because it hands on what the client has sent already.
        pipeline.remove(RequestDecoder.class);
        connection.client().config().setAutoRead(true);
    }

    private static void refuse(ChannelHandlerContext context, int status, Reason reason, String host, String rule) {
        context.fireChannelRead(new Outcome.Refuse(status, reason, host, rule));
    }
}
