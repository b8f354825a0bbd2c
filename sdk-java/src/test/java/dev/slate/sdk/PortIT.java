package dev.slate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import dev.slate.testing.FakePlatform;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PortIT {

    private static final int ECHO = 7;

    private FakePlatform platform;
    private Slate slate;
    private Sandbox sandbox;

    @BeforeEach
    void connect() {
        platform = FakePlatform.start();
        slate = TestSlate.connect(platform);
        sandbox = slate.sandbox().run();
    }

    @AfterEach
    void close() {
        slate.close();
        platform.close();
    }

    @Test
    void carriesBytesBothWaysAndEndsEachWayOnItsOwn() throws IOException {
        try (var connection = sandbox.connect(ECHO)) {
            connection.output().write("hello".getBytes(StandardCharsets.UTF_8));
            assertThat(connection.input().readNBytes(5)).asString().isEqualTo("hello");
            connection.output().close();
            assertThat(connection.input().read()).isEqualTo(-1);
        }
    }

    @Test
    void saysThatNothingListens() {
        assertThatExceptionOfType(SlateException.NotFound.class)
                .isThrownBy(() -> sandbox.connect(9))
                .withMessageContaining("port 9");
    }

    @Test
    void aLocalPortLeadsInside() throws Exception {
        var sent = new byte[3_000_000];
        new Random(1).nextBytes(sent);

        try (var forward = sandbox.forward(ECHO);
                var socket = new Socket(forward.address().getAddress(), forward.localPort())) {
            var sender = Thread.ofVirtual().start(() -> send(socket, sent));
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(sent);
            sender.join();
        }
    }

    @Test
    void aRefusedConnectionIsToldAndReset() {
        List<SlateException> failures = new CopyOnWriteArrayList<>();

        try (var forward = sandbox.forward(9).onFailure(failures::add)) {
            assertThatIOException().isThrownBy(() -> read(forward));
            await().untilAsserted(
                            () -> assertThat(failures).singleElement().isInstanceOf(SlateException.NotFound.class));
        }
    }

    @Test
    void theEndOfTheForwardEndsItsConnections() throws IOException {
        var forward = sandbox.forward(ECHO);
        try (var socket = new Socket(forward.address().getAddress(), forward.localPort())) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            forward.close();
            assertThatIOException().isThrownBy(() -> socket.getInputStream().read());
        }
        assertThatIOException()
                .isThrownBy(() -> new Socket(forward.address().getAddress(), forward.localPort()).close());
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int read(PortForward forward) throws IOException {
        try (var socket = new Socket(forward.address().getAddress(), forward.localPort())) {
            return socket.getInputStream().read();
        }
    }
}
