package dev.slate.egress.proxy;

import dev.slate.egress.credential.Scrubber;
import dev.slate.egress.policy.Reason;
import dev.slate.egress.proxy.RequestRules.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request of an HTTP/2 client and its answer: a stream of the client's connection joined to one of the host's, each
 * read no faster than the other side takes it. Longer than other classes because the order of its few states is easiest
 * to check in one place. Confined to one event loop.
 */
final class Http2Exchange extends ChannelInboundHandlerAdapter {

    private static final int MOST_INTERIM_ANSWERS = 20;
    private static final Set<String> NO_TRAILERS =
            Set.of("authorization", "host", "content-length", "transfer-encoding", "connection", "cookie", "trailer");

    private final Http2Front front;
    private final Connection connection;
    private final Deque<Http2StreamFrame> waiting = new ArrayDeque<>();
    private @Nullable Channel client;
    private @Nullable Channel host;
    private Outcome.@Nullable Forward forward;
    private @Nullable Scrubber scrubber;
    private int interimAnswers;
    private boolean isGrpc;
    private boolean requestComplete;
    private boolean answered;
    private boolean answerComplete;
    private boolean over;
    private @Nullable ChannelFuture answerEnd;

    Http2Exchange(Http2Front front) {
        this.front = front;
        this.connection = front.connection();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        client = context.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (over) {
            ReferenceCountUtil.release(message);
            return;
        }
        try {
            switch (message) {
                case Http2HeadersFrame head when forward == null -> begin(head);
                case Http2HeadersFrame trailers -> requestTrailers(trailers);
                case Http2DataFrame data -> {
                    requestComplete |= data.isEndStream();
                    toHost(new DefaultHttp2DataFrame(data.content(), data.isEndStream()));
                }
                default -> ReferenceCountUtil.release(message);
            }
        } catch (IllegalArgumentException _) {
            connection.refuse(Reason.BAD_REQUEST, "");
            end(Http2Error.PROTOCOL_ERROR.code());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (host != null) {
            host.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (host != null && context.channel().isWritable()) {
            host.config().setAutoRead(true);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        over = true;
        release();
        if (host != null) {
            var _ = host.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A frame that does not fit this stream: the multiplexer resets it next.
        connection.refuse(Reason.BAD_REQUEST, "");
    }

    private void begin(Http2HeadersFrame head) {
        var request = Http2Heads.request(head.headers());
        requestComplete = head.isEndStream();
        isGrpc = request.headers()
                .get(HttpHeaderNames.CONTENT_TYPE, "")
                .toLowerCase(Locale.ROOT)
                .startsWith("application/grpc");
        connection.request(request.method().name(), request.uri());
        switch (front.rules().check(request)) {
            case Outcome.Refuse(var status, var reason, var name, var rule) -> refuse(status, reason, name, rule);
            case Outcome.Forward allowed -> {
                forward = allowed;
                reach(allowed, request);
            }
        }
    }

    private void reach(Outcome.Forward allowed, HttpRequest request) {
        var endsWithHead = requestComplete;
        client().config().setAutoRead(false);
        front.stream(new HostSide()).addListener((Future<Http2StreamChannel> opened) -> {
            if (!opened.isSuccess()) {
                var reason = Gate.reason(opened.cause());
                refuse(reason.isDenial() ? 403 : 502, reason, hostName(request), Gate.rule(opened.cause()));
            } else if (over) {
                var _ = opened.getNow().close();
            } else {
                host = opened.getNow();
                var _ = host.write(
                        new DefaultHttp2HeadersFrame(Http2Heads.toHost(allowed.request(), request), endsWithHead));
                while (!waiting.isEmpty()) {
                    var _ = host.write(waiting.poll());
                }
                host.flush();
                client().config().setAutoRead(true);
            }
        });
    }

    private void toHost(Http2StreamFrame frame) {
        if (host == null) {
            waiting.add(frame);
            return;
        }
        var _ = host.write(frame);
        if (!host.isWritable()) {
            host.flush();
            client().config().setAutoRead(host.isWritable());
        }
    }

    /** Passed on for gRPC only; elsewhere a server may take them for headers. */
    private void requestTrailers(Http2HeadersFrame frame) {
        var trailers = Http2Heads.trailers(frame.headers());
        if (trailers.names().stream().anyMatch(NO_TRAILERS::contains)) {
            throw new IllegalArgumentException("a trailer that is not allowed");
        }
        requestComplete = true;
        toHost(
                isGrpc
                        ? new DefaultHttp2HeadersFrame(Http2Heads.fields(trailers), true)
                        : new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true));
    }

    private void answer(Http2HeadersFrame frame) {
        if (answered) {
            answerTrailers(frame.headers());
            return;
        }
        var status = Http2Heads.status(frame.headers());
        var received = Http2Heads.answer(frame.headers());
        var headers = AnswerHead.headers(received, credentials());
        if (status < 200) {
            interimAnswers++;
            if (status == 101 || frame.isEndStream() || interimAnswers > MOST_INTERIM_ANSWERS) {
                throw new IllegalArgumentException("an interim answer that cannot be");
            }
            var _ = client().writeAndFlush(new DefaultHttp2HeadersFrame(Http2Heads.toClient(status, headers)));
            return;
        }
        answered = true;
        connection.status(status);
        if (!frame.isEndStream()) {
            scrubber = AnswerHead.scrubber(status, received, credentials());
            if (scrubber != null && AnswerHead.isText(status, received)) {
                headers.remove(HttpHeaderNames.CONTENT_LENGTH);
            }
        }
        answerComplete = frame.isEndStream();
        answerEnd = client().write(new DefaultHttp2HeadersFrame(Http2Heads.toClient(status, headers), answerComplete));
    }

    private void answerTrailers(Http2Headers received) {
        var trailers = AnswerHead.headers(Http2Heads.trailers(received), credentials());
        if (scrubber != null) {
            var _ = client().write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(scrubber.finish())));
        }
        answerComplete = true;
        answerEnd = client().write(new DefaultHttp2HeadersFrame(Http2Heads.fields(trailers), true));
    }

    private void answerBody(Http2DataFrame frame) {
        answerComplete = frame.isEndStream();
        answerEnd = client().write(new DefaultHttp2DataFrame(scrubbed(frame), answerComplete));
        if (!client().isWritable() && host != null) {
            client().flush();
            host.config().setAutoRead(client().isWritable());
        }
    }

    private ByteBuf scrubbed(Http2DataFrame frame) {
        if (scrubber == null) {
            return frame.content();
        }
        var bytes = new byte[frame.content().readableBytes()];
        frame.content().readBytes(bytes);
        frame.release();
        var clean = Unpooled.wrappedBuffer(scrubber.feed(bytes));
        return answerComplete ? Unpooled.wrappedBuffer(clean, Unpooled.wrappedBuffer(scrubber.finish())) : clean;
    }

    /** The host broke off without a word of HTTP/2: an error while nothing was answered yet, a reset later. */
    private void hostGone() {
        if (over) {
            return;
        }
        if (answerComplete) {
            end(Http2Error.NO_ERROR.code());
        } else if (answered || forward == null) {
            connection.refuse(Reason.UPSTREAM_FAILED, "");
            end(Http2Error.INTERNAL_ERROR.code());
        } else {
            refuse(502, Reason.UPSTREAM_FAILED, hostName(forward.request()), "");
        }
    }

    private void hostReset(long code) {
        if (over) {
            return;
        }
        if (!answerComplete) {
            connection.refuse(Reason.UPSTREAM_FAILED, "");
        }
        end(code);
    }

    /** Ends the stream of the client if there is anything left of it. */
    private void end(long code) {
        over = true;
        release();
        if (answerComplete && answerEnd != null) {
            // A reset would overtake what still waits for the client's window.
            answerEnd.addListener(_ -> resetUnlessComplete(code));
        } else {
            resetUnlessComplete(code);
        }
        if (host != null) {
            var _ = host.close();
        }
    }

    private void resetUnlessComplete(long code) {
        if (!(answerComplete && requestComplete)) {
            client().writeAndFlush(new DefaultHttp2ResetFrame(code)).addListener(_ -> {
                var _ = client().close();
            });
        }
    }

    private void refuse(int status, Reason reason, String name, String rule) {
        if (over) {
            return;
        }
        connection.refuse(reason, rule);
        connection.status(status);
        var answer = Refusals.response(status, reason, "", name, rule);
        answer.headers().remove(HttpHeaderNames.CONNECTION);
        var _ = client().write(new DefaultHttp2HeadersFrame(Http2Heads.toClient(status, answer.headers())));
        answerEnd = client().writeAndFlush(new DefaultHttp2DataFrame(answer.content(), true));
        answerComplete = true;
        end(Http2Error.NO_ERROR.code());
    }

    private void release() {
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
    }

    private Collection<dev.slate.egress.credential.Credential> credentials() {
        return forward == null ? List.of() : forward.credentials();
    }

    private Channel client() {
        if (client == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return client;
    }

    private static String hostName(HttpRequest request) {
        return request.headers().get(HttpHeaderNames.HOST, "");
    }

    /** The end of the host's stream. */
    private final class HostSide extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (over) {
                ReferenceCountUtil.release(message);
                return;
            }
            try {
                switch (message) {
                    case Http2HeadersFrame frame -> answer(frame);
                    case Http2DataFrame frame when answered -> answerBody(frame);
                    default -> ReferenceCountUtil.release(message);
                }
                if (answerComplete) {
                    // A stream that closes says no more that a read is complete.
                    client().flush();
                }
            } catch (IllegalArgumentException _) {
                hostGone();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            client().flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                client().config().setAutoRead(true);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            switch (event) {
                case Http2ResetFrame reset -> hostReset(reset.errorCode());
                // This stream is one that the host did not look at: the client may ask again.
                case Http2GoAwayFrame _ -> hostReset(Http2Error.REFUSED_STREAM.code());
                default -> {}
            }
            ReferenceCountUtil.release(event);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            hostGone();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            hostGone();
        }
    }
}
