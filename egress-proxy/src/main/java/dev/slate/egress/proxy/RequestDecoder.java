package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into one HTTP/1.1 request at a time, strictly. After the end of a request it stops until {@link #resume},
 * so what a client pipelines waits its turn. A malformed request comes out as a {@link BadRequest}, and nothing after it.
 */
final class RequestDecoder extends ByteToMessageDecoder {

    private static final int MAX_HEAD = 64 * 1024;
    private static final int MAX_CHUNK_LINE = 256;
    private static final int MAX_TRAILER = 8 * 1024;
    private static final Pattern CHUNK_LINE = Pattern.compile("([0-9A-Fa-f]{1,15})(;[\\x20-\\x7e&&[^\"\\\\]]*)?");
    private static final Set<String> NO_TRAILERS =
            Set.of("authorization", "host", "content-length", "transfer-encoding", "connection", "cookie", "trailer");

    private enum State {
        HEAD,
        FIXED,
        CHUNK_LINE,
        CHUNK_DATA,
        CHUNK_END,
        TRAILER,
        PAUSED,
        FAILED
    }

    private State state = State.HEAD;
    private long remaining;
    private int scanned;
    private int trailerBytes;

    /** Goes on with the next request. */
    void resume(ChannelHandlerContext context) throws Exception {
        if (state == State.PAUSED) {
            state = State.HEAD;
            channelRead(context, Unpooled.EMPTY_BUFFER);
            channelReadComplete(context);
        }
    }

    /** Whether so much is waiting that the client should stop sending. */
    boolean isFull() {
        return state == State.PAUSED && actualReadableBytes() > MAX_HEAD;
    }

    /** Whether a request has begun whose head is not complete. */
    boolean isInHead() {
        return state == State.HEAD && actualReadableBytes() > 0;
    }

    /** Whether more of the request is to come. */
    boolean isInBody() {
        return state != State.PAUSED && state != State.HEAD;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        try {
            step(in, out);
        } catch (IllegalArgumentException e) {
            fail(in, out, new BadRequest(400, String.valueOf(e.getMessage())));
        }
    }

    private void step(ByteBuf in, List<Object> out) {
        switch (state) {
            case HEAD -> head(in, out);
            case FIXED -> {
                body(in, out);
                if (remaining == 0) {
                    end(out);
                }
            }
            case CHUNK_LINE -> chunkLine(in);
            case CHUNK_DATA -> {
                body(in, out);
                if (remaining == 0) {
                    state = State.CHUNK_END;
                }
            }
            case CHUNK_END -> {
                var line = line(in, 0);
                if (line != null) {
                    state = State.CHUNK_LINE;
                }
            }
            case TRAILER -> trailer(in, out);
            case PAUSED -> {}
            case FAILED -> in.skipBytes(in.readableBytes());
        }
    }

    private void head(ByteBuf in, List<Object> out) {
        var start = in.readerIndex();
        for (; scanned < in.readableBytes(); scanned++) {
            if (in.getByte(start + scanned) != '\n') {
                continue;
            }
            if (scanned == 0 || in.getByte(start + scanned - 1) != '\r') {
                throw new IllegalArgumentException("a line ends without a carriage return");
            }
            if (scanned >= 3 && in.getByte(start + scanned - 2) == '\n') {
                var head = in.toString(start, scanned - 3, ISO_8859_1);
                in.skipBytes(scanned + 1);
                scanned = 0;
                begin(head, out);
                return;
            }
            if (scanned == 1) {
                throw new IllegalArgumentException("the request starts with an empty line");
            }
        }
        if (in.readableBytes() > MAX_HEAD) {
            fail(in, out, new BadRequest(431, "the headers are longer than " + MAX_HEAD + " bytes"));
        }
    }

    private void fail(ByteBuf in, List<Object> out, BadRequest problem) {
        state = State.FAILED;
        in.skipBytes(in.readableBytes());
        out.add(problem);
    }

    private void begin(String head, List<Object> out) {
        var request = RequestHead.parse(head);
        out.add(request);
        remaining = RequestHead.bodyLength(request);
        if (remaining == 0) {
            end(out);
        } else {
            state = remaining < 0 ? State.CHUNK_LINE : State.FIXED;
        }
    }

    private void body(ByteBuf in, List<Object> out) {
        var length = (int) Math.min(remaining, in.readableBytes());
        out.add(new DefaultHttpContent(in.readRetainedSlice(length)));
        remaining -= length;
    }

    private void chunkLine(ByteBuf in) {
        var line = line(in, MAX_CHUNK_LINE);
        if (line == null) {
            return;
        }
        var matcher = CHUNK_LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a chunk header is malformed");
        }
        remaining = Long.parseLong(matcher.group(1), 16);
        trailerBytes = 0;
        state = remaining == 0 ? State.TRAILER : State.CHUNK_DATA;
    }

    /** Trailers are checked and left out. */
    private void trailer(ByteBuf in, List<Object> out) {
        var line = line(in, MAX_TRAILER);
        if (line == null) {
            return;
        }
        if (line.isEmpty()) {
            end(out);
            return;
        }
        trailerBytes += line.length();
        var headers = new DefaultHttpHeaders();
        RequestHead.addHeader(headers, line);
        if (trailerBytes > MAX_TRAILER
                || headers.names().stream().anyMatch(n -> NO_TRAILERS.contains(n.toLowerCase(Locale.ROOT)))) {
            throw new IllegalArgumentException("a trailer that is not allowed");
        }
    }

    private void end(List<Object> out) {
        state = State.PAUSED;
        out.add(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    /** The next line without its end, or null while it is not complete. */
    private static @Nullable String line(ByteBuf in, int most) {
        var end = in.bytesBefore((byte) '\n');
        if (end < 0 ? in.readableBytes() > most + 2 : end > most + 1) {
            throw new IllegalArgumentException("a line of the body framing is too long");
        }
        if (end < 0) {
            return null;
        }
        if (end == 0 || in.getByte(in.readerIndex() + end - 1) != '\r') {
            throw new IllegalArgumentException("a line ends without a carriage return");
        }
        var line = in.toString(in.readerIndex(), end - 1, ISO_8859_1);
        if (line.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("a line holds a carriage return");
        }
        in.skipBytes(end + 1);
        return line;
    }
}
