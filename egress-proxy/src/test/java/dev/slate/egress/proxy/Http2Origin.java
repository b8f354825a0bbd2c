package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A host on the outside that speaks HTTP/2. What it does depends on the first part of the path. */
final class Http2Origin implements AutoCloseable {

    private final EventLoopGroup loops = new EpollEventLoopGroup(1);
    private final Channel listener;
    private final List<Http2Headers> heads = new CopyOnWriteArrayList<>();
    private final Map<String, Channel> streams = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    Http2Origin(SSLContext context) throws Exception {
        var tls = new JdkSslContext(
                context,
                false,
                null,
                IdentityCipherSuiteFilter.INSTANCE,
                new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        "h2"),
                ClientAuth.NONE,
                new String[] {"TLSv1.3", "TLSv1.2"},
                false);
        listener = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connections.incrementAndGet();
                        channel.pipeline().addLast(tls.newHandler(channel.alloc()), new Tap());
                        channel.pipeline()
                                .addLast(Http2FrameCodecBuilder.forServer().build());
                        channel.pipeline().addLast(new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel stream) {
                                stream.pipeline().addLast(new Service());
                            }
                        }));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    List<Http2Headers> heads() {
        return heads;
    }

    int connections() {
        return connections.get();
    }

    /** All bytes of HTTP/2 that have come. */
    byte[] received() {
        synchronized (received) {
            return received.toByteArray();
        }
    }

    /** The stream of the request for this path, for tests that go on by hand; null once it has ended. */
    @Nullable
    Channel stream(String path) {
        return streams.get(path);
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    static Http2Headers head(String... namesAndValues) {
        var headers = new DefaultHttp2Headers(false).status("200");
        for (var i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers;
    }

    static Http2Headers trailers(String... namesAndValues) {
        var headers = head(namesAndValues);
        headers.remove(":status");
        return headers;
    }

    static DefaultHttp2DataFrame data(String text, boolean end) {
        return new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, ISO_8859_1), end);
    }

    private final class Tap extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            synchronized (received) {
                if (received.size() < 1 << 20) {
                    received.writeBytes(ByteBufUtil.getBytes((ByteBuf) message));
                }
            }
            context.fireChannelRead(message);
        }
    }

    private final class Service extends ChannelInboundHandlerAdapter {
        private String path = "";
        private long bytes;
        private long toSend;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            switch (message) {
                case Http2HeadersFrame frame
                when path.isEmpty() -> {
                    heads.add(frame.headers());
                    path = frame.headers().path().toString();
                    streams.put(path, context.channel());
                    begin(context, frame.headers());
                    if (frame.isEndStream()) {
                        end(context);
                    }
                }
                case Http2HeadersFrame frame -> {
                    heads.add(frame.headers());
                    end(context);
                }
                case Http2DataFrame frame -> {
                    bytes += frame.content().readableBytes();
                    if (path.startsWith("/bidi")) {
                        var _ = context.writeAndFlush(
                                new DefaultHttp2DataFrame(frame.content().retain(), false));
                    }
                    if (frame.isEndStream()) {
                        end(context);
                    }
                }
                default -> {}
            }
            ReferenceCountUtil.release(message);
        }

        private void begin(ChannelHandlerContext context, Http2Headers request) {
            if (path.startsWith("/bidi")) {
                var _ = context.writeAndFlush(
                        new DefaultHttp2HeadersFrame(head("content-type", "application/grpc"), false));
            } else if (path.startsWith("/interim")) {
                var _ = context.writeAndFlush(new DefaultHttp2HeadersFrame(
                        head("link", "</style.css>; rel=preload").status("103"), false));
            } else if (path.startsWith("/reset")) {
                var _ = context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.INADEQUATE_SECURITY));
            } else if (path.startsWith("/goaway")) {
                var parent = context.channel().parent();
                var _ = parent.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR).setExtraStreamIds(0));
            } else if (path.startsWith("/drop")) {
                context.channel().parent().unsafe().closeForcibly();
            } else if (path.startsWith("/early")) {
                var _ = context.write(new DefaultHttp2HeadersFrame(head().status("413"), false));
                var _ = context.writeAndFlush(data("too large", true));
            }
            if (request.contains("expect")) {
                var _ = context.writeAndFlush(new DefaultHttp2HeadersFrame(head().status("100"), false));
            }
        }

        private void end(ChannelHandlerContext context) {
            if (path.startsWith("/bidi")) {
                var _ = context.writeAndFlush(
                        new DefaultHttp2HeadersFrame(trailers("grpc-status", "0", "x-secret", TestProxy.SECRET), true));
            } else if (path.startsWith("/only")) {
                var _ = context.writeAndFlush(new DefaultHttp2HeadersFrame(
                        head("content-type", "application/grpc", "grpc-status", "7"), true));
            } else if (path.startsWith("/upload")) {
                var _ = context.writeAndFlush(
                        new DefaultHttp2HeadersFrame(head("x-received", Long.toString(bytes)), true));
            } else if (path.startsWith("/download/")) {
                toSend = Long.parseLong(path.substring("/download/".length()));
                var _ = context.write(new DefaultHttp2HeadersFrame(head("content-type", "image/png"), false));
                channelWritabilityChanged(context);
            } else if (!path.startsWith("/wait") && !path.startsWith("/early")) {
                echo(context);
            }
        }

        private void echo(ChannelHandlerContext context) {
            var text = new StringBuilder();
            var request = heads.getLast();
            request.forEach(header -> text.append(header.getKey())
                    .append(": ")
                    .append(header.getValue())
                    .append('\n'));
            var answer = head(
                    "content-type",
                    "text/plain",
                    "alt-svc",
                    "h3=\":443\"",
                    "x-echo",
                    String.valueOf(request.get("authorization")),
                    "content-length",
                    Integer.toString(text.length()));
            var _ = context.write(new DefaultHttp2HeadersFrame(answer, false));
            var _ = context.writeAndFlush(data(text.toString(), true));
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            while (toSend > 0 && context.channel().isWritable()) {
                var piece = (int) Math.min(toSend, 16384);
                toSend -= piece;
                var _ = context.write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(new byte[piece]), toSend == 0));
                context.flush();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof Http2ResetFrame) {
                streams.remove(path);
            }
            ReferenceCountUtil.release(event);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            streams.remove(path);
        }
    }
}
