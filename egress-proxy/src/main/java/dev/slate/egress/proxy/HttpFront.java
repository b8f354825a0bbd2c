package dev.slate.egress.proxy;

import dev.slate.egress.policy.Reason;
import dev.slate.egress.proxy.RequestRules.Outcome;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries the requests of one client connection, one after the other, to a connection of its own that no other client
 * ever shares. Bodies stream in both directions, each no faster than the other side takes them. Longer than other
 * classes because the order of its few states is easiest to check in one place. Confined to one event loop.
 */
final class HttpFront extends ChannelInboundHandlerAdapter {

    private static final int IDLE_SECONDS = 120;
    private static final int HEAD_SECONDS = 15;
    private static final int HALF_CLOSED_SECONDS = 1;
    private static final int LINGER_SECONDS = 2;
    private static final int MOST_INTERIM_ANSWERS = 20;

    private final Connection connection;
    private final RequestRules rules;
    private final RequestDecoder decoder;
    private final ResponseEncoder encoder;
    private @Nullable Channel upstream;
    private @Nullable Route upstreamRoute;
    private @Nullable Exchange exchange;
    private @Nullable ScheduledFuture<?> idle;
    private @Nullable ScheduledFuture<?> headDeadline;
    private boolean dialling;
    private boolean closing;

    private @Nullable Future<Channel> prepared;

    /** @param prepared a connection to the host of a terminated client, if one was opened already, or its failure */
    HttpFront(
            Connection connection,
            RequestRules rules,
            RequestDecoder decoder,
            ResponseEncoder encoder,
            @Nullable Future<Channel> prepared) {
        this.prepared = prepared;
        this.connection = connection;
        this.rules = rules;
        this.decoder = decoder;
        this.encoder = encoder;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        waitForRequest();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (closing) {
            ReferenceCountUtil.release(message);
            return;
        }
        switch (message) {
            case BadRequest(var status, var problem) -> refuse(status, Reason.BAD_REQUEST, problem, "", "");
            case Outcome.Refuse(var status, var reason, var host, var rule) -> refuse(status, reason, "", host, rule);
            case HttpRequest request -> begin(request);
            case HttpContent content -> body(content);
            default -> ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (upstream != null) {
            upstream.flush();
        }
        if (decoder.isInHead() && headDeadline == null && !closing) {
            headDeadline = context.executor().schedule(this::headTooSlow, HEAD_SECONDS, TimeUnit.SECONDS);
        }
        updateReading();
    }

    private void headTooSlow() {
        refuse(408, Reason.HELLO_TIMEOUT, "", "", "");
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (upstream != null) {
            upstream.config().setAutoRead(client().isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            connection.refuse(Reason.CLIENT_TLS_FAILED, "");
        } else if (event instanceof ChannelInputShutdownEvent) {
            // It sends no more, or is gone: an answer that is on its way gets a moment.
            if (exchange == null || !exchange.requestComplete) {
                close();
            } else {
                exchange.closeAfter = true;
                var _ = context.executor().schedule(this::close, HALF_CLOSED_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closing = true;
        stopWaiting();
        if (exchange == null) {
            giveBackUpstream();
        }
        dropExchange();
        dropUpstream();
        dropPrepared();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        stopWaiting();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Resets.reset(context.channel());
    }

    private void begin(HttpRequest request) {
        stopWaiting();
        connection.request(request.method().name(), request.uri());
        encoder.answering(request.method().name());
        switch (rules.check(request)) {
            case Outcome.Refuse(var status, var reason, var host, var rule) -> refuse(status, reason, "", host, rule);
            case Outcome.Forward forward -> {
                exchange = new Exchange(forward, request);
                reach(exchange);
            }
        }
    }

    private void body(HttpContent content) {
        var current = exchange;
        if (current == null) {
            content.release();
            return;
        }
        current.hadBody |= content.content().isReadable();
        current.requestComplete |= content instanceof LastHttpContent;
        if (current.sent && upstream != null) {
            var _ = upstream.write(content);
        } else {
            current.waiting.add(content);
        }
    }

    private void reach(Exchange current) {
        var route = current.forward.route();
        if (upstream != null && upstream.isActive() && route.equals(upstreamRoute)) {
            current.onReusedConnection = true;
            send(current);
            return;
        }
        dropUpstream();
        dialling = true;
        updateReading();
        var opening = open(route);
        // A connection that was there before may have been closed by the host just now.
        current.onReusedConnection = opening.isDone();
        opening.addListener((Future<Channel> opened) -> {
            dialling = false;
            if (!opened.isSuccess()) {
                var reason = Gate.reason(opened.cause());
                refuse(reason.isDenial() ? 403 : 502, reason, "", hostOf(route), Gate.rule(opened.cause()));
            } else if (closing || exchange != current) {
                var _ = opened.getNow().close();
            } else {
                upstream = opened.getNow();
                upstreamRoute = route;
                HttpBack.attach(upstream, this);
                if (connection.resolved((InetSocketAddress) upstream.remoteAddress())) {
                    send(current);
                }
            }
        });
    }

    private Future<Channel> open(Route route) {
        var first = prepared;
        prepared = null;
        return first != null && route instanceof Route.Verified
                ? first
                : connection.plane().upstreams().open(connection, route, List.of());
    }

    private void send(Exchange current) {
        var to = upstream;
        if (to == null) {
            return;
        }
        current.sent = true;
        var _ = to.write(current.forward.request());
        while (!current.waiting.isEmpty()) {
            var _ = to.write(current.waiting.poll());
        }
        if (current.retried) {
            var _ = to.write(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        to.flush();
        to.config().setAutoRead(client().isWritable());
        updateReading();
    }

    @SuppressWarnings("ReferenceEquality") // channels have identity
    void answer(Channel from, Object message) {
        var current = exchange;
        if (from != upstream || current == null || !current.sent) {
            ReferenceCountUtil.release(message);
            var _ = from.close();
            return;
        }
        switch (message) {
            case HttpResponse response when response.decoderResult().isFailure() -> brokenAnswer(current);
            case HttpResponse response
            when response.status().code() < 100 || response.status().code() > 599 -> brokenAnswer(current);
            case HttpResponse response when response.status().code() == 101 -> switchProtocol(current, response);
            case HttpResponse response when response.status().code() < 200 -> interimAnswer(current, response);
            case HttpResponse response -> {
                connection.status(response.status().code());
                current.answered = true;
                var _ = client().write(AnswerHead.prepare(response, current));
            }
            case HttpContent content -> answerBody(current, content);
            default -> ReferenceCountUtil.release(message);
        }
    }

    void answerFlush() {
        client().flush();
    }

    @SuppressWarnings("ReferenceEquality") // channels have identity
    void upstreamClosed(Channel channel) {
        if (channel != upstream) {
            return;
        }
        upstream = null;
        // A connection that closes counts as not writable, and that must not keep the next request waiting.
        updateReading();
        var current = exchange;
        if (current == null || closing) {
            return;
        }
        if (current.canRetry()) {
            current.retried = true;
            current.sent = false;
            reach(current);
        } else {
            brokenAnswer(current);
        }
    }

    private void interimAnswer(Exchange current, HttpResponse response) {
        current.interim = true;
        current.interimAnswers++;
        if (current.interimAnswers > MOST_INTERIM_ANSWERS) {
            brokenAnswer(current);
        } else if (!current.oldClient) {
            var headers = AnswerHead.headers(response.headers(), current.forward.credentials());
            var relayed = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, response.status());
            relayed.headers().set(headers);
            var _ = client().writeAndFlush(relayed);
        }
    }

    private void answerBody(Exchange current, HttpContent content) {
        var last = content instanceof LastHttpContent;
        if (content.decoderResult().isFailure()) {
            content.release();
            brokenAnswer(current);
        } else if (current.switching) {
            content.release();
            joinWebSocket();
        } else if (current.interim) {
            content.release();
            current.interim = !last;
        } else if (!current.answered) {
            content.release();
        } else {
            pass(current, content, last);
        }
    }

    private void pass(Exchange current, HttpContent content, boolean last) {
        var scrubber = current.scrubber;
        if (scrubber == null) {
            var _ = client().write(last ? new DefaultHttpContent(content.content()) : content);
        } else {
            var bytes = new byte[content.content().readableBytes()];
            content.content().readBytes(bytes);
            content.release();
            var _ = client().write(new DefaultHttpContent(Unpooled.wrappedBuffer(scrubber.feed(bytes))));
            if (last) {
                var _ = client().write(new DefaultHttpContent(Unpooled.wrappedBuffer(scrubber.finish())));
            }
        }
        if (last) {
            var _ = client().write(AnswerHead.end((LastHttpContent) content, current));
            finish(current);
        } else if (!client().isWritable() && upstream != null) {
            upstream.config().setAutoRead(false);
            client().flush();
        }
    }

    private void finish(Exchange current) {
        exchange = null;
        current.release();
        if (!current.upstreamKeepsAlive) {
            dropUpstream();
        }
        client().flush();
        if (current.closeAfter) {
            closeAfterAnswer(current.requestComplete);
            return;
        }
        waitForRequest();
        // Not from here: this may run inside the decoder.
        connection.client().eventLoop().execute(this::nextRequest);
    }

    private void nextRequest() {
        var context = client().pipeline().context(decoder);
        if (context != null && !closing) {
            try {
                decoder.resume(context);
            } catch (Exception e) {
                client().pipeline().fireExceptionCaught(e);
            }
        }
    }

    /** The host broke off: an error while nothing was answered yet, a reset in the middle of an answer. */
    private void brokenAnswer(Exchange current) {
        if (current.answered) {
            connection.refuse(Reason.UPSTREAM_FAILED, "");
            Resets.reset(client());
        } else {
            refuse(502, Reason.UPSTREAM_FAILED, "", hostOf(current.forward.route()), "");
        }
    }

    private void switchProtocol(Exchange current, HttpResponse response) {
        if (!current.forward.upgrade()) {
            brokenAnswer(current);
            return;
        }
        connection.status(101);
        current.switching = true;
        var relayed = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, response.status());
        relayed.headers()
                .set(AnswerHead.headers(response.headers(), current.forward.credentials()))
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE)
                .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        var _ = client().writeAndFlush(relayed);
    }

    /** Both sides have agreed: what follows is theirs alone, also what is already here. */
    private void joinWebSocket() {
        var host = upstream;
        if (host == null) {
            return;
        }
        exchange = null;
        upstream = null;
        var front = client().pipeline();
        front.replace(this, "relay", new Relay(host));
        front.remove(encoder);
        front.remove(decoder);
        host.pipeline().replace("back", "relay", new Relay(client()));
        host.pipeline().remove("http");
        host.flush();
        client().config().setAutoRead(true);
        host.config().setAutoRead(true);
    }

    private void refuse(int status, Reason reason, String detail, String host, String rule) {
        if (closing) {
            return;
        }
        connection.refuse(reason, rule);
        connection.status(status);
        var complete = exchange == null ? !decoder.isInBody() : exchange.requestComplete;
        dropExchange();
        dropUpstream();
        var _ = client().writeAndFlush(Refusals.response(status, reason, detail, host, rule));
        closeAfterAnswer(complete);
    }

    /** Bytes that nobody reads would turn the close into a reset and lose the answer, so they are read for a while. */
    private void closeAfterAnswer(boolean requestComplete) {
        closing = true;
        stopWaiting();
        var end = client().writeAndFlush(Unpooled.EMPTY_BUFFER);
        if (requestComplete) {
            end.addListener(ChannelFutureListener.CLOSE);
            return;
        }
        connection.client().config().setAutoRead(true);
        var _ = connection.client().eventLoop().schedule(this::close, LINGER_SECONDS, TimeUnit.SECONDS);
    }

    private void close() {
        var _ = client().close();
    }

    private void waitForRequest() {
        stopWaiting();
        idle = connection.client().eventLoop().schedule(this::close, IDLE_SECONDS, TimeUnit.SECONDS);
    }

    private void stopWaiting() {
        if (idle != null) {
            idle.cancel(false);
            idle = null;
        }
        if (headDeadline != null) {
            headDeadline.cancel(false);
            headDeadline = null;
        }
    }

    private void dropExchange() {
        if (exchange != null) {
            exchange.release();
            exchange = null;
        }
    }

    private void dropUpstream() {
        var old = upstream;
        upstream = null;
        if (old != null) {
            var _ = old.close();
            updateReading();
        }
    }

    /** For the next client of the sandbox, if nothing was left half done. */
    private void giveBackUpstream() {
        var old = upstream;
        var route = upstreamRoute;
        upstream = null;
        if (old != null && route != null) {
            connection.plane().upstreams().giveBack(connection, route, old);
        }
    }

    private void dropPrepared() {
        var unused = prepared;
        prepared = null;
        if (unused != null) {
            unused.addListener((Future<Channel> opened) -> {
                if (opened.isSuccess()) {
                    var _ = opened.getNow().close();
                }
            });
        }
    }

    void updateReading() {
        var take = !dialling && (upstream == null || upstream.isWritable()) && !decoder.isFull();
        client().config().setAutoRead(take || closing);
    }

    private Channel client() {
        return connection.client();
    }

    private static String hostOf(Route route) {
        return switch (route) {
            case Route.Plain(var host, var _) -> host.value();
            case Route.Verified(var host, var _) -> host.value();
            case Route.Platform() -> "";
        };
    }
}
