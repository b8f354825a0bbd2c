package dev.slate.egress.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

class ClientHelloTest {

    @Test
    void readsTheNameOfARealHello() throws Exception {
        assertThat(ClientHello.parse(ByteBuffer.wrap(hello("api.example.com"))))
                .isEqualTo(new ClientHello.Complete(List.of("api.example.com"), List.of(), false));
    }

    @Test
    void waitsForEveryByteOfAHello() throws Exception {
        var hello = hello("api.example.com");

        for (var length = 0; length < hello.length; length++) {
            assertThat(ClientHello.parse(ByteBuffer.wrap(hello, 0, length)))
                    .as("%d bytes", length)
                    .isEqualTo(new ClientHello.Incomplete());
        }
    }

    @Test
    void putsRecordsTogether() throws Exception {
        var message = Arrays.copyOfRange(hello("api.example.com"), 5, hello("api.example.com").length);
        var split = ByteBuffer.allocate(message.length * 6);
        for (var b : message) {
            split.put(new byte[] {22, 3, 1, 0, 1, b});
        }

        assertThat(ClientHello.parse(split.flip()))
                .isEqualTo(new ClientHello.Complete(List.of("api.example.com"), List.of(), false));
    }

    @Test
    void refusesWhatCannotBecomeAHello() {
        var malformed = new ClientHello.Malformed();

        assertThat(ClientHello.parse(bytes(22, 3, 1, 0, 0))).as("empty record").isEqualTo(malformed);
        assertThat(ClientHello.parse(bytes(22, 3, 1, 0, 4, 2, 0, 0, 0)))
                .as("server hello")
                .isEqualTo(malformed);
        assertThat(ClientHello.parse(bytes(22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff)))
                .as("16 MB")
                .isEqualTo(malformed);
        assertThat(ClientHello.parse(bytes(22, 9))).as("version 9").isEqualTo(malformed);
        assertThat(ClientHello.parse(bytes(22, 3, 1, 0, 7, 1, 0, 0, 3, 1, 2, 3)))
                .as("cut short")
                .isEqualTo(malformed);
    }

    @Test
    void damagedLengthsNeverEscapeTheParser() throws Exception {
        var hello = hello("api.example.com");
        for (var at = 5; at < hello.length; at++) {
            for (var value : new byte[] {0, 1, 127, (byte) 0xff}) {
                var damaged = hello.clone();
                damaged[at] = value;

                assertThat(ClientHello.parse(ByteBuffer.wrap(damaged))).isNotNull();
            }
        }
    }

    static byte[] hello(String name) throws Exception {
        var engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        var parameters = engine.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(name)));
        engine.setSSLParameters(parameters);
        var out = ByteBuffer.allocate(32 * 1024);
        var _ = engine.wrap(ByteBuffer.allocate(0), out);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static ByteBuffer bytes(int... values) {
        var buffer = ByteBuffer.allocate(values.length);
        for (var value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }
}
