package dev.slate.controlplane.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.GrpcCall;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway on a real HTTP server, in front of a scripted provider. */
@Timeout(30)
class GatewayIT {
    private static final Caller OWNER =
            new Caller("owner", "owner", "Owner", GrpcCall.ENVIRONMENT, EnumSet.allOf(Permission.class));
    private static final String CHAT = "/v1/router/chat/completions";
    private static final String DELTA =
            "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n";
    private static final String FINISH = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    private static final String DONE = "data: [DONE]\n\n";

    @TempDir
    Path home;

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private GatewayParts parts;
    private HttpServer provider;
    private URI gateway;
    private SecretValue key;
    private volatile String receivedBody = "";
    private volatile String receivedAuthorization = "";

    @BeforeEach
    void setUp() throws Exception {
        parts = new GatewayParts(home);
        Router router = Router.router(vertx);
        parts.resource().register(router);
        int port = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .actualPort();
        gateway = URI.create("http://127.0.0.1:" + port);
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        provider.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        provider.start();
        key = parts.keys().create(OWNER, "test").key();
        parts.connections()
                .put(OWNER, Connection.parse("main", base(), "openai/"), Optional.of(SecretValue.of("sk-provider")));
    }

    @AfterEach
    void tearDown() throws Exception {
        client.shutdownNow();
        provider.stop(0);
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void passesToolCallsAndUnknownMembersByteForByte() throws Exception {
        String answer = """
                {"id": "x",  "choices":[{"message":{"tool_calls":[{"id":"c1","type":"function",
                "function":{"name":"run","arguments":"{\\"a\\": 1.0}"}}]},"finish_reason":"tool_calls"}],"odd":1.50}""";
        provide("/v1/chat/completions", exchange -> reply(exchange, 200, "application/json", answer));
        String body =
                "{\"model\": \"openai/gpt\", \"temperature\":0.0,\"tools\":[{\"x\":1e2}],\"unknown\":{\"y\":null}}";

        HttpResponse<String> response = post(body);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo(answer);
        assertThat(receivedBody).isEqualTo(body.replace("openai/gpt", "gpt"));
        assertThat(receivedAuthorization).isEqualTo("Bearer sk-provider");
        assertThat(response.headers().firstValue("x-request-id")).isPresent();
        assertThat(response.headers().firstValue("x-slate-connection")).contains("main");
    }

    @Test
    void relaysEachFrameBeforeTheNextOneExists() throws Exception {
        Semaphore seen = new Semaphore(0);
        provide("/v1/chat/completions", exchange -> {
            OutputStream out = startStream(exchange);
            for (int frame = 0; frame < 5; frame++) {
                write(out, DELTA.formatted(frame));
                if (!seen.tryAcquire(1, TimeUnit.SECONDS)) {
                    return;
                }
            }
            write(out, FINISH + DONE);
            out.close();
        });

        HttpResponse<InputStream> response =
                open(request(CHAT, key).POST(body("{\"model\":\"openai/gpt\",\"stream\":true}")));

        StringBuilder received = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                received.append(line).append('\n');
                if (line.isEmpty()) {
                    seen.release();
                }
            }
        }
        String expected = DELTA.formatted(0)
                + DELTA.formatted(1)
                + DELTA.formatted(2)
                + DELTA.formatted(3)
                + DELTA.formatted(4)
                + FINISH
                + DONE;
        assertThat(received.toString()).isEqualTo(expected);
        assertThat(response.headers().firstValue("content-type")).contains("text/event-stream; charset=utf-8");
    }

    @Test
    void aStreamThatBreaksOffGetsAnErrorEventAndABrokenConnection() throws Exception {
        provide("/v1/chat/completions", exchange -> {
            exchange.getResponseHeaders().add("content-type", "text/event-stream");
            exchange.sendResponseHeaders(200, 10_000);
            write(exchange.getResponseBody(), DELTA.formatted("half"));
            exchange.close();
        });

        String raw = rawPost("{\"model\":\"openai/gpt\"}");

        assertThat(raw)
                .contains(DELTA.formatted("half"))
                .contains("data: {\"error\":{\"message\":\"connection main: broke off in the middle of the answer\"")
                .doesNotContain("[DONE]")
                .doesNotEndWith("0\r\n\r\n");
    }

    @Test
    void aStreamThatEndsTooEarlyButCleanlyIsNoSuccessEither() throws Exception {
        provide("/v1/chat/completions", exchange -> {
            OutputStream out = startStream(exchange);
            write(out, DELTA.formatted("half") + "data: {\"choices\":[{\"delta\"");
            out.close();
        });

        HttpResponse<InputStream> response = open(request(CHAT, key).POST(body("{\"model\":\"openai/gpt\"}")));

        assertThatThrownBy(() -> response.body().readAllBytes()).isInstanceOf(IOException.class);
    }

    @Test
    void aFinishedStreamWithoutItsEndMarkGetsOne() throws Exception {
        provide("/v1/chat/completions", exchange -> {
            OutputStream out = startStream(exchange);
            write(out, DELTA.formatted("all") + FINISH);
            out.close();
        });

        assertThat(post("{\"model\":\"openai/gpt\"}").body()).isEqualTo(DELTA.formatted("all") + FINISH + DONE);
    }

    @Test
    void aStreamThatBreaksOffBeforeItsFirstFrameIsAPlainError() throws Exception {
        provide("/v1/chat/completions", exchange -> startStream(exchange).close());

        HttpResponse<String> response = post("{\"model\":\"openai/gpt\"}");

        assertThat(response.statusCode()).isEqualTo(502);
        assertError(response, "provider_error");
    }

    @Test
    void aProviderThatFallsSilentInAStreamIsATimeout() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        provide("/v1/chat/completions", exchange -> {
            write(startStream(exchange), DELTA.formatted("half"));
            over.await(10, TimeUnit.SECONDS);
        });

        String raw = rawPost("{\"model\":\"openai/gpt\"}");
        over.countDown();

        assertThat(raw).contains("\"code\":\"provider_timeout\"").doesNotEndWith("0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatGoesCancelsTheProvider(boolean afterTheFirstFrame) throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch clientGone = new CountDownLatch(1);
        CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        provide("/v1/chat/completions", exchange -> {
            OutputStream out = null;
            if (afterTheFirstFrame) {
                out = startStream(exchange);
                write(out, DELTA.formatted("1"));
            }
            arrived.countDown();
            clientGone.await(10, TimeUnit.SECONDS);
            // Well below the time limits of the gateway.
            Thread.sleep(500);
            try {
                out = out == null ? startStream(exchange) : out;
                for (int frame = 0; frame < 5; frame++) {
                    write(out, DELTA.formatted("2"));
                    Thread.sleep(50);
                }
                cancelled.complete(false);
            } catch (IOException _) {
                cancelled.complete(true);
            }
        });

        try (Socket socket = send("{\"model\":\"openai/gpt\"}")) {
            assertThat(arrived.await(10, TimeUnit.SECONDS)).isTrue();
            if (afterTheFirstFrame) {
                assertThat(socket.getInputStream().read()).isPositive();
            }
        }
        clientGone.countDown();

        assertThat(cancelled.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void listsTheModelsOfAllConnectionsUnderTheirPrefixes() throws Exception {
        provide(
                "/v1/models",
                exchange ->
                        reply(exchange, 200, "application/json", "{\"data\":[{\"id\":\"gpt\",\"owned_by\":\"o\"}]}"));
        parts.connections().put(OWNER, Connection.parse("down", "http://127.0.0.1:9/v1", "x/"), Optional.empty());

        HttpResponse<String> response =
                client.send(request("/v1/router/models", key).build(), HttpResponse.BodyHandlers.ofString());

        assertThat(response.body())
                .isEqualTo(
                        "{\"object\":\"list\",\"data\":[{\"id\":\"openai/gpt\",\"owned_by\":\"o\",\"object\":\"model\"}]}");
    }

    @Test
    void passesEmbeddingsOn() throws Exception {
        provide("/v1/embeddings", exchange -> reply(exchange, 200, "application/json", "{\"data\":[]}"));

        HttpResponse<String> response = client.send(
                request("/v1/router/embeddings", key)
                        .POST(body("{\"model\":\"openai/e\"}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(response.body()).isEqualTo("{\"data\":[]}");
    }

    @Test
    void aRateLimitIsPassedOnWithItsDelay() throws Exception {
        String error = "{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit\"}}";
        provide("/v1/chat/completions", exchange -> {
            exchange.getResponseHeaders().add("retry-after", "7");
            exchange.getResponseHeaders().add("set-cookie", "a=b");
            reply(exchange, 429, "application/json", error);
        });

        HttpResponse<String> response = post("{\"model\":\"openai/gpt\"}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.body()).isEqualTo(error);
        assertThat(response.headers().firstValue("retry-after")).contains("7");
        assertThat(response.headers().firstValue("set-cookie")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "500,<html>,500,provider_error",
        "503,'{\"detail\":\"x\"}',503,provider_error",
        "400,'{\"error\":{\"message\":\"bad key sk-provider\"}}',400,provider_error",
        "401,'{\"error\":{\"message\":\"bad key sk-provider\"}}',502,provider_auth_error",
        "307,'',502,provider_error"
    })
    void providersErrorsComeInOneShapeAndNameTheConnection(int status, String body, int expected, String code)
            throws Exception {
        CompletableFuture<Boolean> followed = new CompletableFuture<>();
        provide("/elsewhere", _ -> followed.complete(true));
        provide("/v1/chat/completions", exchange -> {
            exchange.getResponseHeaders().add("location", "/elsewhere");
            reply(exchange, status, "text/html", body);
        });

        HttpResponse<String> response = post("{\"model\":\"openai/gpt\"}");

        assertThat(response.statusCode()).isEqualTo(expected);
        assertThat(response.body()).contains("connection main: ").doesNotContain("sk-provider");
        assertError(response, code);
        assertThat(followed).isNotDone();
    }

    @Test
    void aProviderThatIsDownOrSilentIsNamed() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        provide("/v1/chat/completions", _ -> over.await(10, TimeUnit.SECONDS));
        parts.connections().put(OWNER, Connection.parse("down", "http://127.0.0.1:9/v1", "x/"), Optional.empty());

        HttpResponse<String> down = post("{\"model\":\"x/gpt\"}");
        HttpResponse<String> silent = post("{\"model\":\"openai/gpt\"}");
        over.countDown();

        assertThat(down.statusCode()).isEqualTo(502);
        assertThat(down.body()).contains("connection down: cannot connect");
        assertError(silent, "provider_timeout");
    }

    @Test
    void refusesWhoHasNoValidKey() throws Exception {
        SecretValue revoked = parts.keys().create(OWNER, "").key();
        assertThat(status(request("/v1/router/models", revoked))).isEqualTo(200);
        parts.keys()
                .revoke(
                        OWNER,
                        parts.keys()
                                .authenticate(revoked.revealText())
                                .orElseThrow()
                                .hash());

        assertThat(status(request("/v1/router/models", revoked))).isEqualTo(401);
        assertThat(status(HttpRequest.newBuilder(gateway.resolve("/v1/router/models"))))
                .isEqualTo(401);
        assertThat(status(request("/v1/router/models", SecretValue.of("sl-" + "0".repeat(32)))))
                .isEqualTo(401);
        assertThat(status(request("/v1/router/models", key).header("X-Slate-Env-Id", "other")))
                .isEqualTo(404);
        assertThat(status(request("/v1/router/models", key).header("X-Slate-Env-Id", GrpcCall.ENVIRONMENT)))
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "POST,/v1/router/chat/completions,'{\"model\":\"nobody/x\"}',404,model_not_found",
        "POST,/v1/router/chat/completions,not json,400,invalid_request",
        "GET,/v1/router/chat/completions,'',404,unknown_url",
        "POST,/v1/router/responses,'{}',404,unknown_url",
        "DELETE,/v1/router/models,'',404,unknown_url"
    })
    void everyRefusalIsAnErrorObject(String method, String path, String body, int status, String code)
            throws Exception {
        HttpResponse<String> response = client.send(
                request(path, key).method(method, body(body)).build(), HttpResponse.BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(status);
        assertError(response, code);
    }

    @Test
    void refusesARequestOverTheLimit() throws Exception {
        HttpResponse<String> response = post("{\"model\":\"openai/gpt\",\"x\":\"" + "x".repeat(5_000_000) + "\"}");

        assertThat(response.statusCode()).isEqualTo(413);
        assertError(response, "request_too_large");
    }

    private void assertError(HttpResponse<String> response, String code) {
        String requestId = response.headers().firstValue("x-request-id").orElseThrow();
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        assertThat(response.body())
                .startsWith("{\"error\":{\"message\":\"")
                .contains("\"code\":\"" + code + "\"", "\"request_id\":\"" + requestId + "\"");
    }

    private HttpResponse<String> post(String body) throws Exception {
        return client.send(request(CHAT, key).POST(body(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<InputStream> open(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private int status(HttpRequest.Builder request) throws Exception {
        if (receivedAuthorization.isEmpty()) {
            receivedAuthorization = "asked";
            provide("/v1/models", exchange -> reply(exchange, 200, "application/json", "{\"data\":[]}"));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    private HttpRequest.Builder request(String path, SecretValue gatewayKey) {
        return HttpRequest.newBuilder(gateway.resolve(path))
                .timeout(Duration.ofSeconds(10))
                .header("authorization", "Bearer " + gatewayKey.revealText());
    }

    private static HttpRequest.BodyPublisher body(String text) {
        return HttpRequest.BodyPublishers.ofString(text);
    }

    private Socket send(String body) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.getPort());
        String head = "POST %s HTTP/1.1\r\nhost: x\r\nauthorization: Bearer %s\r\ncontent-length: %d\r\n\r\n"
                .formatted(CHAT, key.revealText(), body.length());
        socket.getOutputStream().write((head + body).getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    /** All bytes until the gateway closes the connection. */
    private String rawPost(String body) throws IOException {
        try (Socket socket = send(body)) {
            socket.setSoTimeout(10_000);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String base() {
        return "http://127.0.0.1:" + provider.getAddress().getPort() + "/v1/";
    }

    private void provide(String path, Script script) {
        provider.createContext(path, exchange -> {
            receivedBody = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            receivedAuthorization = exchange.getRequestHeaders().getFirst("authorization");
            try {
                script.run(exchange);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        });
    }

    private static OutputStream startStream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("content-type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static void reply(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("content-type", type);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private interface Script {
        void run(HttpExchange exchange) throws IOException, InterruptedException;
    }
}
