package dev.slate.controlplane.router;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Passes the answer of a provider on to the client: a whole one when it is complete, a stream frame by frame, an error
 * with its status. A stream that ends before the model came to its end gets an error event and a broken connection,
 * because clients take a clean end for success.
 */
final class Relay {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_FRAME = 16 * 1024 * 1024;
    private static final int MAX_ERROR = 1024 * 1024;
    /** Larger answers are not looked into for their usage. */
    private static final int MAX_INSPECTED = 1024 * 1024;
    /** How long a provider may take to close a stream after its end mark. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final List<String> PASSED_HEADERS =
            List.of("retry-after", "retry-after-ms", "x-should-retry", "openai-processing-ms");

    private final Exchange exchange;
    private final Provider provider;
    private final Upstream.Answer answer;
    private final RouterConfig config;

    Relay(Exchange exchange, Provider provider, Upstream.Answer answer, RouterConfig config) {
        this.exchange = exchange;
        this.provider = provider;
        this.answer = answer;
        this.config = config;
    }

    void run() {
        try {
            if (answer.status() >= 300) {
                error();
            } else if (answer.streams()) {
                stream();
            } else {
                whole();
            }
        } finally {
            answer.body().cancel();
        }
    }

    private void whole() {
        if (!answer.contentType().isEmpty() && !answer.contentType().contains("json")) {
            throw failure(502, "provider_error", "the answer is no JSON: check its base URL");
        }
        byte[] body = answer.readAll(
                provider,
                config.firstByteTimeout(),
                config.idleTimeout(),
                config.maxResponseBody().asLongValue());
        if (body.length <= MAX_INSPECTED) {
            exchange.events().json(body);
        }
        exchange.client().send(answer.status(), headers("application/json"), body);
        exchange.ended(answer.status(), "completed");
    }

    private void stream() {
        EventFrames frames = new EventFrames();
        try {
            Optional<byte[]> bytes = answer.body().next(config.firstByteTimeout());
            while (bytes.isPresent()) {
                pass(frames.accept(bytes.get()));
                if (frames.rest().length > MAX_FRAME) {
                    throw new IOException("a frame is over %d bytes".formatted(MAX_FRAME));
                }
                bytes = answer.body().next(exchange.events().done() ? CLOSING : config.idleTimeout());
            }
            pass(rest(frames));
        } catch (IOException | TimeoutException broken) {
            if (!exchange.events().done()) {
                fail(broken);
                return;
            }
        }
        if (exchange.events().done() || exchange.events().finished()) {
            if (!exchange.events().done()) {
                pass(List.of("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8)));
            }
            exchange.client().end();
            exchange.ended(answer.status(), "completed");
        } else {
            fail(new IOException("the stream ended without its end mark"));
        }
    }

    private void pass(List<byte[]> frames) {
        if (frames.isEmpty()) {
            return;
        }
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        frames.forEach(frame -> {
            exchange.events().frame(frame);
            together.writeBytes(frame);
        });
        begin();
        exchange.client().write(together.toByteArray());
    }

    private void begin() {
        if (!exchange.client().started()) {
            Map<String, String> headers = headers("text/event-stream; charset=utf-8");
            headers.put("cache-control", "no-cache");
            headers.put("x-accel-buffering", "no");
            exchange.client().start(answer.status(), headers);
        }
    }

    /** A last frame without its empty line counts if it ends the stream; otherwise it is half a frame. */
    private List<byte[]> rest(EventFrames frames) {
        byte[] rest = frames.rest();
        exchange.events().frame(rest);
        if (new String(rest, StandardCharsets.UTF_8).isBlank()
                || !(exchange.events().done() || exchange.events().finished())) {
            return List.of();
        }
        return List.of(rest, "\n\n".getBytes(StandardCharsets.UTF_8));
    }

    private void fail(Exception cause) {
        GatewayException failure = cause instanceof TimeoutException
                ? failure(504, "provider_timeout", "stopped in the middle of the answer")
                : failure(502, "provider_error", "broke off in the middle of the answer");
        if (!exchange.client().started()) {
            throw failure;
        }
        String event =
                "data: " + new String(failure.error(exchange.requestId()).json(), StandardCharsets.UTF_8) + "\n\n";
        exchange.client().write(event.getBytes(StandardCharsets.UTF_8));
        exchange.client().breakOff();
        exchange.ended(answer.status(), cause instanceof TimeoutException ? "provider_timeout" : "truncated");
    }

    private void error() {
        int status = answer.status();
        if (status < 400) {
            throw failure(502, "provider_error", "answered with a redirect, which is not followed: check its base URL");
        }
        if (status == 401 || status == 403) {
            throw failure(
                    502,
                    "provider_auth_error",
                    "the provider refused the key of the connection (%d)".formatted(status));
        }
        byte[] body = answer.readAll(provider, config.firstByteTimeout(), config.idleTimeout(), MAX_ERROR);
        byte[] told = isErrorObject(body)
                ? body
                : failure(status, "provider_error", "the provider answered with status " + status)
                        .error(exchange.requestId())
                        .json();
        exchange.client().send(status, headers("application/json"), told);
        exchange.ended(status, "provider_error");
    }

    private boolean isErrorObject(byte[] body) {
        try {
            JsonNode tree = JSON.readTree(body);
            return tree != null
                    && tree.path("error").isObject()
                    && !provider.leaksKey(new String(body, StandardCharsets.UTF_8));
        } catch (IOException _) {
            return false;
        }
    }

    private Map<String, String> headers(String contentType) {
        Map<String, String> headers = exchange.headers(contentType);
        answer.headers().map().forEach((name, values) -> {
            if (PASSED_HEADERS.contains(name) || name.startsWith("x-ratelimit-")) {
                headers.put(name, values.getFirst());
            }
        });
        answer.headers().firstValue("x-request-id").ifPresent(id -> headers.put("x-provider-request-id", id));
        return headers;
    }

    private GatewayException failure(int status, String code, String message) {
        return GatewayException.provider(provider.name(), status, code, message);
    }
}
