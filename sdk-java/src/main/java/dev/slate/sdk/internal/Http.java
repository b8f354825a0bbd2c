package dev.slate.sdk.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.slate.sdk.internal.Failure.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Large bytes over HTTP/1.1: in its HTTP/2 upgrade mode the JDK client buffers uploads without bound. Thread-safe. */
public final class Http implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration REPLY_TIMEOUT = Duration.ofMinutes(10);

    private final Endpoint endpoint;
    private final TokenSource tokens;
    private final Optional<String> environmentId;
    private final Failures failures;
    private final HttpClient client;

    Http(Endpoint endpoint, TokenSource tokens, Optional<String> environmentId, Failures failures) {
        this.endpoint = endpoint;
        this.tokens = tokens;
        this.environmentId = environmentId;
        this.failures = failures;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    /** One path segment or query value, encoded. */
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The body of an address below the endpoint; the caller closes it. */
    public InputStream get(String pathAndQuery) {
        return send(request(pathAndQuery).GET());
    }

    /** Like {@link #get(String)}, with more headers. */
    public InputStream get(String pathAndQuery, Map<String, String> headers) {
        var request = request(pathAndQuery).GET();
        headers.forEach(request::header);
        return send(request);
    }

    public void put(String pathAndQuery, BodyPublisher body) {
        try (var reply = send(request(pathAndQuery).PUT(body))) {
            reply.readAllBytes();
        } catch (IOException e) {
            throw failures.exception(unreachable(e, ""));
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }

    private HttpRequest.Builder request(String pathAndQuery) {
        var builder = HttpRequest.newBuilder(endpoint.resolve(pathAndQuery))
                .timeout(REPLY_TIMEOUT)
                .header("Authorization", "Bearer " + tokens.token())
                .header("Content-Type", "application/octet-stream");
        environmentId.ifPresent(id -> builder.header("x-slate-env-id", id));
        return builder;
    }

    private InputStream send(HttpRequest.Builder builder) {
        var requestId = UUID.randomUUID().toString();
        try {
            var reply = client.send(builder.header("x-request-id", requestId).build(), BodyHandlers.ofInputStream());
            if (reply.statusCode() / 100 == 2) {
                return reply.body();
            }
            throw failures.exception(failure(reply, requestId));
        } catch (IOException e) {
            throw failures.exception(unreachable(e, requestId));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failures.exception(
                    new Failure(Kind.CANCELLED, "CANCELLED", "the calling thread was interrupted", requestId, e));
        }
    }

    private Failure unreachable(IOException e, String requestId) {
        var reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new Failure(Kind.UNAVAILABLE, "UNAVAILABLE", GrpcFailures.unreachable(endpoint, reason), requestId, e);
    }

    private static Failure failure(HttpResponse<InputStream> reply, String requestId) throws IOException {
        try (var body = reply.body()) {
            var error = parse(body.readNBytes(64 * 1024)).path("error");
            return new Failure(
                    kind(reply.statusCode()),
                    error.path("code").asText("HTTP_" + reply.statusCode()),
                    error.path("message")
                            .asText("HTTP " + reply.statusCode() + " from "
                                    + reply.uri().getPath()),
                    requestId,
                    null);
        }
    }

    private static JsonNode parse(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (IOException _) {
            return JSON.missingNode();
        }
    }

    static Kind kind(int status) {
        return switch (status) {
            case 400, 405, 411, 413, 415, 416, 422 -> Kind.INVALID_ARGUMENT;
            case 401 -> Kind.UNAUTHENTICATED;
            case 403 -> Kind.PERMISSION_DENIED;
            case 404, 410 -> Kind.NOT_FOUND;
            case 409 -> Kind.CONFLICT;
            case 412 -> Kind.FAILED_PRECONDITION;
            case 499 -> Kind.CANCELLED;
            case 501 -> Kind.UNSUPPORTED;
            case 429, 507 -> Kind.RESOURCE_EXHAUSTED;
            case 502, 503 -> Kind.UNAVAILABLE;
            case 408, 504 -> Kind.TIMED_OUT;
            default -> Kind.INTERNAL;
        };
    }
}
