package dev.slate.e2e.interactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.PortForward;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import dev.slate.sdk.SlateException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ports of a sandbox, reached from here, under real gVisor. */
@OnPlatform
@Timeout(300)
class ForwardE2E {
    private static final int HUNDRED_MEGABYTES = 100_000_000;
    private static final String ECHO = """
            import socket, threading
            def serve(c):
                while True:
                    data = c.recv(1 << 16)
                    if not data: break
                    c.sendall(data)
                c.shutdown(socket.SHUT_WR)
            s = socket.create_server(("127.0.0.1", 9000))
            print("ready", flush=True)
            while True:
                threading.Thread(target=serve, args=(s.accept()[0],)).start()
            """;

    private Sandbox sandbox;

    @BeforeEach
    void startSandbox(Slate slate) {
        sandbox = slate.sandbox().image(Platform.PYTHON).name("forward").run();
    }

    @AfterEach
    void endSandbox() {
        sandbox.terminate();
    }

    @Test
    void fetchesFromAWebServerInside(Platform platform) throws Exception {
        sandbox.exec("sh", "-c", "mkdir /srv/www && echo from inside > /srv/www/page")
                .orThrow();
        sandbox.command("python3", "-m", "http.server", "8000", "--bind", "127.0.0.1")
                .workdir("/srv/www")
                .start();
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .untilAsserted(() -> sandbox.connect(8000).close());

        try (PortForward forward = sandbox.forward(8000)) {
            for (int round = 0; round < 20; round++) {
                assertThat(fetch(forward.localPort())).isEqualTo("from inside\n");
            }
        }

        Process program = platform.start(Map.of(), "sandbox", "forward", "forward", "0:8000");
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
            String line = String.valueOf(out.readLine());
            assertThat(line).matches("127\\.0\\.0\\.1:\\d+ leads to port 8000 of forward");
            assertThat(fetch(Integer.parseInt(line.split("[: ]", 3)[1]))).isEqualTo("from inside\n");
        } finally {
            program.destroy();
        }
    }

    @Test
    void carriesHundredMegabytesBothWaysExactly() throws Exception {
        startEcho();
        byte[] sent = new byte[HUNDRED_MEGABYTES];
        new Random(3).nextBytes(sent);

        long begin = System.nanoTime();
        try (PortForward forward = sandbox.forward(9000);
                Socket socket = new Socket(forward.address().getAddress(), forward.localPort())) {
            Thread sender = Thread.ofVirtual().start(() -> send(socket, sent));
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(sent);
            sender.join();
        }
        System.out.printf("100 MB each way through a forward: %d ms%n", (System.nanoTime() - begin) / 1_000_000);
    }

    /** Each that is closed early must not reset its stream: a server takes many resets for an attack. */
    @Test
    void manyShortConnectionsHurtNoOtherCall() {
        startEcho();
        try (var running =
                sandbox.command("sh", "-c", "sleep 5; echo still here").start()) {
            for (int round = 0; round < 300; round++) {
                sandbox.connect(9000).close();
            }
            assertThat(running.waitFor().stdout()).isEqualTo("still here\n");
        }
    }

    @Test
    void aPortWithoutAServerIsRefusedClearly() {
        assertThatThrownBy(() -> sandbox.connect(9999))
                .isInstanceOf(SlateException.NotFound.class)
                .hasMessageContaining("port 9999: connection refused");
        List<SlateException> failures = new CopyOnWriteArrayList<>();
        try (PortForward forward = sandbox.forward(9999).onFailure(failures::add)) {
            assertThatIOException().isThrownBy(() -> fetch(forward.localPort()));
            await().untilAsserted(() -> assertThat(failures).isNotEmpty());
        }
    }

    @Test
    void theEndOfTheSandboxEndsTheConnection() throws Exception {
        startEcho();
        try (PortForward forward = sandbox.forward(9000);
                Socket socket = new Socket(forward.address().getAddress(), forward.localPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(7);
            assertThat(socket.getInputStream().read()).isEqualTo(7);
            sandbox.terminate();
            assertThatIOException()
                    .isThrownBy(() -> socket.getInputStream().read())
                    .withMessageContaining("reset");
        }
        assertThatThrownBy(() -> sandbox.connect(9000))
                .isInstanceOf(SlateException.FailedPrecondition.class)
                .hasMessageContaining("TERMINAT");
    }

    private void startEcho() {
        var server = sandbox.command("python3", "-c", ECHO).start();
        try {
            assertThat(server.stdout().readNBytes(5)).asString().isEqualTo("ready");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String fetch(int port) throws IOException, InterruptedException {
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            URI page = URI.create("http://127.0.0.1:" + port + "/page");
            return client.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
