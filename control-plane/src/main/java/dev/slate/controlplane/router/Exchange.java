package dev.slate.controlplane.router;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One request to the gateway, and what its line in the log tells: who called which model and how it ended, never what
 * was said. Confined to the thread of the exchange.
 */
final class Exchange {
    private final ClientConnection client;
    private final Cancellation cancellation;
    private final String requestId;
    private final String sandboxId;
    private final ChatEvents events = new ChatEvents();
    private final long startedNanos = System.nanoTime();
    private String keyHash = "";
    private String model = "";
    private String connection = "";
    private int status;
    private String outcome = "";

    Exchange(ClientConnection client, Cancellation cancellation, String requestId, String sandboxId) {
        this.client = client;
        this.cancellation = cancellation;
        this.requestId = requestId;
        this.sandboxId = sandboxId;
    }

    ClientConnection client() {
        return client;
    }

    Cancellation cancellation() {
        return cancellation;
    }

    String requestId() {
        return requestId;
    }

    ChatEvents events() {
        return events;
    }

    void calledWith(GatewayKey key) {
        keyHash = key.hash();
    }

    void asksFor(String name) {
        model = name;
    }

    void goesTo(Provider provider) {
        connection = provider.name();
    }

    void ended(int statusCode, String how) {
        status = statusCode;
        outcome = how;
    }

    /** The headers that every answer has. */
    Map<String, String> headers(String contentType) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("content-type", contentType);
        headers.put("x-request-id", requestId);
        if (!connection.isEmpty()) {
            headers.put("x-slate-connection", connection);
        }
        return headers;
    }

    /** Answers with an error object. */
    void refuse(GatewayException refused) {
        client.dropBody();
        client.send(
                refused.status(),
                headers("application/json"),
                refused.error(requestId).json());
    }

    /** The line for the log. */
    String describe() {
        return "exchange requestId=%s keyHash=%s sandboxId=%s connection=%s model=%s status=%d end=%s ms=%d in=%d out=%d"
                .formatted(
                        requestId,
                        keyHash,
                        sandboxId,
                        connection,
                        model.replace(' ', '_'),
                        status,
                        outcome,
                        Duration.ofNanos(System.nanoTime() - startedNanos).toMillis(),
                        events.promptTokens(),
                        events.completionTokens());
    }
}
