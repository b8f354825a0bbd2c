package dev.slate.egress.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.function.Supplier;

/**
 * The limits of HTTP/2 on both sides. Windows bound what the proxy may have to hold while the other side is slow; the
 * rest bounds what a peer can make it do for nothing. Neither push nor extended CONNECT (RFC 8441) is ever offered.
 */
final class Http2 {

    static final String ALPN = ApplicationProtocolNames.HTTP_2;
    static final String OLD_ALPN = ApplicationProtocolNames.HTTP_1_1;

    private static final int MOST_STREAMS = 128;
    private static final int MOST_HEADER_BYTES = 32 * 1024;
    /** A client is near, so that a small window costs it nothing. */
    private static final int CLIENT_STREAM_WINDOW = 128 * 1024;

    private static final int CLIENT_WINDOW = 256 * 1024;
    /** A host may be far: 10 MB/s at a round trip of 100 ms. */
    private static final int HOST_WINDOW = 1024 * 1024;

    private static final int DEFAULT_WINDOW = 65535;
    private static final int LIMIT_SECONDS = 10;
    private static final int MOST_RESETS = 200;
    private static final int MOST_QUEUED_ANSWERS = 1000;
    private static final int MOST_EMPTY_DATA = 4;
    private static final int MOST_SMALL_CONTINUATIONS = 8;
    private static final int CLOSE_MILLIS = 0;

    private Http2() {}

    /** Whether this connection to a host speaks HTTP/2. */
    static boolean isSpoken(Channel channel) {
        return channel.pipeline().get(Http2FrameCodec.class) != null;
    }

    /** Whether a connection to a host takes another request. */
    static boolean isUsable(Channel channel) {
        var codec = channel.pipeline().get(Http2FrameCodec.class);
        return channel.isActive() && (codec == null || !codec.connection().goAwayReceived());
    }

    /** How many requests are under way on a connection. */
    static int streams(Channel channel) {
        var codec = channel.pipeline().get(Http2FrameCodec.class);
        return codec == null ? 0 : codec.connection().numActiveStreams();
    }

    /** Makes a connection with a client one of HTTP/2. */
    static void addTowardsClient(ChannelPipeline pipeline, Http2Front front) {
        addTowardsClient(pipeline, () -> new Http2Exchange(front));
        pipeline.addLast("front", front);
    }

    /** The same for streams that the supplier's handlers take, one each. */
    static void addTowardsClient(ChannelPipeline pipeline, Supplier<ChannelHandler> exchanges) {
        pipeline.addLast("floods", new Http2FrameLimit());
        pipeline.addLast(
                "http2",
                limited(Http2FrameCodecBuilder.forServer())
                        .initialSettings(new Http2Settings()
                                .maxConcurrentStreams(MOST_STREAMS)
                                .initialWindowSize(CLIENT_STREAM_WINDOW)
                                .maxHeaderListSize(MOST_HEADER_BYTES))
                        .build());
        pipeline.addLast("streams", new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline().addLast("exchange", exchanges.get());
            }
        }));
        widen(pipeline, CLIENT_WINDOW);
    }

    /** Makes a connection to a host one of HTTP/2. */
    static void addTowardsHost(ChannelPipeline pipeline) {
        pipeline.addLast(
                "http2",
                limited(Http2FrameCodecBuilder.forClient())
                        .initialSettings(new Http2Settings()
                                .pushEnabled(false)
                                .initialWindowSize(HOST_WINDOW)
                                .maxHeaderListSize(2 * MOST_HEADER_BYTES))
                        .encoderEnforceMaxConcurrentStreams(true)
                        .headerSensitivityDetector((name, value) -> value instanceof Http2Heads.NeverIndexed
                                || List.of("authorization", "proxy-authorization")
                                        .contains(name.toString()))
                        .build());
        pipeline.addLast("streams", new Http2MultiplexHandler(new Refusal()));
        pipeline.addLast("end", new End());
        widen(pipeline, HOST_WINDOW);
        pipeline.channel().config().setAutoRead(true);
    }

    private static Http2FrameCodecBuilder limited(Http2FrameCodecBuilder builder) {
        return builder.gracefulShutdownTimeoutMillis(CLOSE_MILLIS)
                .decoderEnforceMaxRstFramesPerWindow(MOST_RESETS, LIMIT_SECONDS)
                .encoderEnforceMaxRstFramesPerWindow(MOST_RESETS, LIMIT_SECONDS)
                .decoderEnforceMaxConsecutiveEmptyDataFrames(MOST_EMPTY_DATA)
                .decoderEnforceMaxSmallContinuationFrames(MOST_SMALL_CONTINUATIONS)
                .encoderEnforceMaxQueuedControlFrames(MOST_QUEUED_ANSWERS);
    }

    private static void widen(ChannelPipeline pipeline, int window) {
        var _ = pipeline.write(new DefaultHttp2WindowUpdateFrame(window - DEFAULT_WINDOW));
    }

    /** Hosts open no streams: push is off. */
    @ChannelHandler.Sharable
    private static final class Refusal extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            var _ = context.close();
        }
    }

    /** What concerns the connection as a whole is the codec's business. */
    private static final class End extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The codec says goodbye and closes; streams notice.
        }
    }
}
