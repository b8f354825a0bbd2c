package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of HTTP/2 that a test drives frame by frame. */
final class Http2Client implements AutoCloseable {

    /** What came back on a stream. Trailers are empty if there were none; reset is -1 if there was no reset. */
    record Answer(Http2Headers head, List<Http2Headers> interim, String text, Http2Headers trailers, long reset) {
        int status() {
            return head.status() == null ? 0 : Integer.parseInt(head.status().toString());
        }
    }

    private record End(boolean closed) {}

    private final EventLoopGroup loop = new EpollEventLoopGroup(1);
    private final Channel channel;
    private final SslHandler tls;
    private final BlockingQueue<Long> goAways = new LinkedBlockingQueue<>();

    /** Connects, through CONNECT if a target is given, and completes the handshake. */
    Http2Client(
            InetAddress source, InetSocketAddress address, String connectTo, String serverName, X509Certificate trusted)
            throws Exception {
        var context = SslContextBuilder.forClient()
                .trustManager(trusted)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        "h2",
                        "http/1.1"))
                .build();
        channel = new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .localAddress(new InetSocketAddress(source, 0))
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address)
                .sync()
                .channel();
        if (!connectTo.isEmpty()) {
            var answered = new LinkedBlockingQueue<String>();
            channel.pipeline().addLast("connect", new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    answered.add(((io.netty.buffer.ByteBuf) message).toString(ISO_8859_1));
                    ReferenceCountUtil.release(message);
                }
            });
            channel.writeAndFlush(Unpooled.copiedBuffer(
                            "CONNECT " + connectTo + " HTTP/1.1\r\nHost: " + connectTo + "\r\n\r\n", ISO_8859_1))
                    .sync();
            var answer = answered.poll(10, TimeUnit.SECONDS);
            if (answer == null || !answer.startsWith("HTTP/1.1 200")) {
                throw new IllegalStateException("CONNECT: " + answer);
            }
            channel.pipeline().remove("connect");
        }
        tls = context.newHandler(channel.alloc(), serverName, 443);
        loop.submit(() -> {
                    channel.pipeline().addLast(tls);
                    channel.pipeline()
                            .addLast(Http2FrameCodecBuilder.forClient()
                                    .initialSettings(new Http2Settings().initialWindowSize(1 << 20))
                                    .validateHeaders(false)
                                    .build());
                    channel.pipeline().addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                    channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            if (message instanceof Http2GoAwayFrame frame) {
                                goAways.add(frame.errorCode());
                            }
                            ReferenceCountUtil.release(message);
                        }
                    });
                })
                .sync();
        tls.handshakeFuture().sync();
    }

    static Http2Client of(TestProxy proxy, String host) throws Exception {
        return new Http2Client(TestProxy.SOURCE, proxy.dial(host, 443), "", host, proxy.platformAuthority());
    }

    String protocol() {
        return String.valueOf(tls.applicationProtocol());
    }

    Channel channel() {
        return channel;
    }

    /** The error code of the goodbye that came, or -1 after ten seconds without. */
    long goAway() throws InterruptedException {
        var code = goAways.poll(10, TimeUnit.SECONDS);
        return code == null ? -1 : code;
    }

    static Http2Headers get(String host, String path) {
        return new DefaultHttp2Headers(false)
                .method("GET")
                .scheme("https")
                .authority(host)
                .path(path);
    }

    static Http2Headers post(String host, String path) {
        return get(host, path).method("POST");
    }

    Answer send(Http2Headers headers) throws Exception {
        return open(headers, true).answer();
    }

    Stream open(Http2Headers headers, boolean end) throws Exception {
        var reader = new Reader();
        var stream = new Http2StreamChannelBootstrap(channel)
                .handler(reader)
                .open()
                .sync()
                .getNow();
        stream.writeAndFlush(new DefaultHttp2HeadersFrame(headers, end)).sync();
        return new Stream(stream, reader.events);
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Keeps what comes on a stream. */
    private static final class Reader extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            switch (message) {
                case Http2HeadersFrame frame -> {
                    events.add(frame.headers());
                    if (frame.isEndStream()) {
                        events.add(new End(false));
                    }
                }
                case Http2DataFrame frame -> {
                    events.add(ByteBufUtil.getBytes(frame.content()));
                    if (frame.isEndStream()) {
                        events.add(new End(false));
                    }
                }
                default -> {}
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof Http2ResetFrame reset) {
                events.add(reset.errorCode());
            }
            ReferenceCountUtil.release(event);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add(new End(true));
        }
    }

    /** One request. */
    static final class Stream {
        private final Channel channel;
        private final BlockingQueue<Object> events;

        private Stream(Channel channel, BlockingQueue<Object> events) {
            this.channel = channel;
            this.events = events;
        }

        Channel channel() {
            return channel;
        }

        void data(byte[] bytes, boolean end) throws Exception {
            channel.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes), end))
                    .sync();
        }

        void trailers(Http2Headers headers) throws Exception {
            channel.writeAndFlush(new DefaultHttp2HeadersFrame(headers, true)).sync();
        }

        void reset() throws Exception {
            channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL)).sync();
        }

        /** Headers, bytes, the code of a reset, or the end. */
        Object next() throws InterruptedException {
            var event = events.poll(8, TimeUnit.SECONDS);
            if (event == null) {
                throw new IllegalStateException("nothing came");
            }
            return event;
        }

        /** Everything until the end. */
        Answer answer() throws InterruptedException {
            var heads = new ArrayList<Http2Headers>();
            var body = new ByteArrayOutputStream();
            var reset = -1L;
            for (var ended = false; !ended; ) {
                switch (next()) {
                    case Http2Headers headers -> heads.add(headers);
                    case byte[] bytes -> body.writeBytes(bytes);
                    case Long code -> {
                        reset = code;
                        ended = true;
                    }
                    case End _ -> ended = true;
                    default -> throw new IllegalStateException();
                }
            }
            var interim = heads.stream()
                    .filter(h -> h.status() != null && h.status().charAt(0) == '1')
                    .toList();
            heads.removeAll(interim);
            return new Answer(
                    heads.isEmpty() ? new DefaultHttp2Headers(false) : heads.getFirst(),
                    interim,
                    body.toString(ISO_8859_1),
                    heads.size() < 2 ? new DefaultHttp2Headers(false) : heads.getLast(),
                    reset);
        }
    }
}
