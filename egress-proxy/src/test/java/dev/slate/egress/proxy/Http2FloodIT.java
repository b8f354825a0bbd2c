package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** F65: what an HTTP/2 client can do to make a server work for nothing. Each ends with GOAWAY; others notice nothing. */
@Timeout(60)
class Http2FloodIT {

    private static final String HOST = "api.example.com";
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    /** The connection was closed without one. */
    private static final long NO_GOAWAY = -1;

    @TempDir
    Path folder;

    private Http2Origin origin;
    private TestProxy proxy;

    @BeforeEach
    void start() throws Exception {
        var authority = new TestAuthority();
        origin = new Http2Origin(authority.server(HOST, Duration.ofDays(1)));
        proxy = new TestProxy(folder, authority, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        proxy.hosts.put(HOST, origin.address());
        proxy.allow(1, Set.of(HOST), TestProxy.credential(HOST));
    }

    @AfterEach
    void stop() throws Exception {
        try (var honest = Http2Client.of(proxy, HOST)) {
            assertThat(honest.send(Http2Client.get(HOST, "/echo")).status()).isEqualTo(200);
        }
        proxy.close();
        origin.close();
    }

    @Test
    void f65_rapidReset() throws Exception {
        var attack = new ByteArrayOutputStream();
        for (var stream = 1; stream < 2000; stream += 2) {
            attack.writeBytes(frame(HEADERS, END_HEADERS | END_STREAM, stream, head("/wait")));
            attack.writeBytes(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
        }

        assertThat(goodbye(attack.toByteArray())).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_madeYouReset() throws Exception {
        var attack = new ByteArrayOutputStream();
        for (var stream = 1; stream < 2000; stream += 2) {
            attack.writeBytes(frame(HEADERS, END_HEADERS | END_STREAM, stream, head("/wait")));
            // A window of zero more is an error of the stream, for which the server sends the reset.
            attack.writeBytes(frame(WINDOW_UPDATE, 0, stream, new byte[4]));
        }

        assertThat(goodbye(attack.toByteArray())).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_continuationFlood() throws Exception {
        var attack = new ByteArrayOutputStream();
        attack.writeBytes(frame(HEADERS, END_STREAM, 1, head("/wait")));
        for (var i = 0; i < 100; i++) {
            attack.writeBytes(frame(CONTINUATION, 0, 1, new byte[0]));
        }

        assertThat(goodbye(attack.toByteArray())).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_settingsFlood() throws Exception {
        assertThat(goodbye(many(frame(SETTINGS, 0, 0, new byte[0]), 20_000)))
                .isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_pingFlood() throws Exception {
        assertThat(goodbye(many(frame(PING, 0, 0, new byte[8]), 20_000)))
                .isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_priorityFlood() throws Exception {
        assertThat(goodbye(many(frame(PRIORITY, 0, 1, new byte[] {0, 0, 0, 3, 9}), 20_000)))
                .isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_emptyDataFlood() throws Exception {
        var attack = new ByteArrayOutputStream();
        attack.writeBytes(frame(HEADERS, END_HEADERS, 1, head("/upload")));
        attack.writeBytes(many(frame(DATA, 0, 1, new byte[0]), 20_000));

        assertThat(goodbye(attack.toByteArray())).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
    }

    @Test
    void f65_compressionBomb() throws Exception {
        // One long value goes into the table, then 10,000 references of a byte each.
        var block = new ByteArrayOutputStream();
        block.writeBytes(head("/wait"));
        block.writeBytes(new byte[] {0x40, 1, 'x', 0x7f, (byte) 0x81, 0x1e});
        block.writeBytes(many(new byte[] {'a'}, 3968));
        block.writeBytes(many(new byte[] {(byte) 0xbe}, 10_000));

        // Too much for one stream: an answer 431, a reset or a goodbye, and nothing reaches the host.
        assertThat(verdict(frame(HEADERS, END_HEADERS | END_STREAM, 1, block.toByteArray())))
                .isIn(HEADERS, RST_STREAM, GOAWAY);
        assertThat(origin.heads()).isEmpty();
    }

    @Test
    void f65_aWindowOfZeroHoldsLittle() throws Exception {
        var before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        var attack = new ByteArrayOutputStream();
        attack.writeBytes(frame(SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0}));
        for (var stream = 1; stream < 200; stream += 2) {
            attack.writeBytes(frame(HEADERS, END_HEADERS | END_STREAM, stream, head("/download/" + (1 << 20))));
        }
        try (var socket = connect()) {
            socket.getOutputStream().write(attack.toByteArray());
            socket.getOutputStream().flush();
            Thread.sleep(Duration.ofSeconds(2));

            assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before)
                    .isLessThan(32L << 20);
        }
    }

    @Test
    void f71_neitherExtendedConnectNorPushIsOffered() throws Exception {
        try (var socket = connect()) {
            var in = new DataInputStream(socket.getInputStream());
            var header = in.readNBytes(9);
            assertThat(header[3]).isEqualTo((byte) SETTINGS);
            var payload = ByteBuffer.wrap(in.readNBytes(length(header)));
            while (payload.hasRemaining()) {
                assertThat(payload.getShort()).isNotIn((short) 8, (short) 2);
                var _ = payload.getInt();
            }
        }
    }

    private javax.net.ssl.SSLSocket connect() throws Exception {
        var socket = proxy.tls(proxy.dial(HOST, 443), HOST, proxy.platformAuthority(), "h2");
        assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
        socket.getOutputStream().write(frame(SETTINGS, 0, 0, new byte[0]));
        return socket;
    }

    /** The code of the GOAWAY that answers these bytes. */
    private long goodbye(byte[] attack) throws Exception {
        return answer(attack, Set.of(GOAWAY))
                .map(f -> (long) ByteBuffer.wrap(f.payload).getInt(4))
                .orElse(NO_GOAWAY);
    }

    /** The type of the frame that answers these bytes. */
    private int verdict(byte[] attack) throws Exception {
        return answer(attack, Set.of(HEADERS, RST_STREAM, GOAWAY))
                .map(Frame::type)
                .orElse(-1);
    }

    private static final class Frame {
        private final int type;
        private final byte[] payload;

        private Frame(int type, byte[] payload) {
            this.type = type;
            this.payload = payload;
        }

        private int type() {
            return type;
        }
    }

    /** The first frame of one of these types that comes back. */
    private Optional<Frame> answer(byte[] attack, Set<Integer> types) throws Exception {
        try (var socket = connect()) {
            Thread.ofVirtual().start(() -> {
                try {
                    socket.getOutputStream().write(attack);
                    socket.getOutputStream().flush();
                } catch (IOException _) {
                    // The server has had enough.
                }
            });
            var in = new DataInputStream(socket.getInputStream());
            while (true) {
                var header = in.readNBytes(9);
                if (header.length < 9) {
                    return Optional.empty();
                }
                var payload = in.readNBytes(length(header));
                if (types.contains((int) header[3])) {
                    return Optional.of(new Frame(header[3], payload));
                }
            }
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private static int length(byte[] header) {
        return ((header[0] & 0xff) << 16) | ((header[1] & 0xff) << 8) | (header[2] & 0xff);
    }

    private static byte[] head(String path) throws Exception {
        Http2Headers headers = Http2Client.get(HOST, path);
        var out = Unpooled.buffer();
        // Nothing goes into the table, so that every frame stands alone.
        new DefaultHttp2HeadersEncoder((name, value) -> true).encodeHeaders(1, headers, out);
        return ByteBufUtil.getBytes(out);
    }

    static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    private static byte[] many(byte[] piece, int times) {
        var all = ByteBuffer.allocate(piece.length * times);
        for (var i = 0; i < times; i++) {
            all.put(piece);
        }
        return all.array();
    }
}
