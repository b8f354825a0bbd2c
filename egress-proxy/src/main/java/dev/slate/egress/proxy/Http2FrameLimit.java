package dev.slate.egress.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * Counts the frames of an HTTP/2 client that cost work and carry nothing (all but DATA, HEADERS and WINDOW_UPDATE; empty DATA counts unless it ends a stream) as
 * they pass, and ends the connection of a client that floods. RFC 9113, sections 4.1 and 10.5.
 */
final class Http2FrameLimit extends ChannelInboundHandlerAdapter {

    private static final int PREFACE = 24;
    private static final int HEADER = 9;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int MOST = 5000;
    private static final long WINDOW_NANOS = 10_000_000_000L;

    private final byte[] header = new byte[HEADER];
    private int headerBytes;
    private long toSkip = PREFACE;
    private int counted;
    private long windowStart = System.nanoTime();
    private boolean over;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (over) {
            ReferenceCountUtil.release(message);
        } else if (fits((ByteBuf) message)) {
            context.fireChannelRead(message);
        } else {
            over = true;
            ReferenceCountUtil.release(message);
            context.fireUserEventTriggered(Event.FLOOD);
        }
    }

    /** Tells the {@link Http2Front} that it is enough. */
    enum Event {
        FLOOD
    }

    private boolean fits(ByteBuf bytes) {
        for (var at = bytes.readerIndex(); at < bytes.writerIndex(); ) {
            if (toSkip > 0) {
                var skipped = Math.min(toSkip, bytes.writerIndex() - at);
                toSkip -= skipped;
                at += (int) skipped;
                continue;
            }
            header[headerBytes++] = bytes.getByte(at++);
            if (headerBytes == HEADER) {
                headerBytes = 0;
                var length = ((header[0] & 0xff) << 16) | ((header[1] & 0xff) << 8) | (header[2] & 0xff);
                toSkip = length;
                if (!count(header[3], header[4], toSkip)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean count(int type, int flags, long length) {
        if (type == HEADERS || type == WINDOW_UPDATE || (type == DATA && (length > 0 || (flags & END_STREAM) != 0))) {
            return true;
        }
        var now = System.nanoTime();
        if (now - windowStart > WINDOW_NANOS) {
            windowStart = now;
            counted = 0;
        }
        return ++counted <= MOST;
    }
}
