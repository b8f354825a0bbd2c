package dev.slate.controlplane.router;

import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls providers. The provider's key goes to the base URL of its connection and nowhere else: redirects are not
 * followed. Thread-safe.
 */
@Singleton
class Upstream {
    private final HttpClient client;

    Upstream(RouterConfig config) {
        this.client = HttpClient.newBuilder()
                .connectTimeout(config.connectTimeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("router-upstream-", 0).factory()))
                .build();
    }

    /** A request to a provider, to which the caller adds method and headers. */
    HttpRequest.Builder request(Provider provider, String path) {
        boolean cleartext =
                "http".equalsIgnoreCase(provider.connection().baseUrl().getScheme());
        HttpRequest.Builder request = HttpRequest.newBuilder(provider.resolve(path))
                // Over cleartext the client would offer an upgrade to HTTP/2, which servers get wrong.
                .version(cleartext ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2)
                .header("user-agent", "slate-gateway");
        provider.key().ifPresent(key -> request.header("authorization", "Bearer " + key.revealText()));
        return request;
    }

    /** Sends a request and waits for the head of the answer; its body is still to come. */
    Answer send(Provider provider, HttpRequest request, Duration limit, Cancellation cancellation) {
        CompletableFuture<HttpResponse<Flow.Publisher<List<ByteBuffer>>>> call =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofPublisher());
        cancellation.onCancel(() -> call.cancel(true));
        try {
            HttpResponse<Flow.Publisher<List<ByteBuffer>>> response = call.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            UpstreamBody body = new UpstreamBody();
            response.body().subscribe(body);
            cancellation.onCancel(body::cancel);
            return new Answer(response.statusCode(), response.headers(), body);
        } catch (CancellationException _) {
            throw new ClientGoneException();
        } catch (TimeoutException late) {
            call.cancel(true);
            throw GatewayException.provider(
                    provider.name(), 504, "provider_timeout", "no answer within " + limit, late);
        } catch (ExecutionException failure) {
            throw unreachable(provider, failure.getCause() == null ? failure : failure.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            call.cancel(true);
            throw new ClientGoneException();
        }
    }

    private static GatewayException unreachable(Provider provider, Throwable cause) {
        String reason = switch (cause) {
            case HttpConnectTimeoutException _ -> "cannot connect in time";
            case ConnectException _ -> "cannot connect";
            default -> "broke off before it answered";
        };
        return GatewayException.provider(provider.name(), 502, "provider_unreachable", reason, cause);
    }

    /** The head of an answer, and its body. */
    record Answer(int status, HttpHeaders headers, UpstreamBody body) {
        boolean streams() {
            return contentType().startsWith("text/event-stream");
        }

        String contentType() {
            return headers.firstValue("content-type").orElse("");
        }

        /** The whole body; one that breaks off, or is larger than the limit, is a failure of the provider. */
        byte[] readAll(Provider provider, Duration first, Duration idle, long limit) {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            try {
                Optional<byte[]> bytes = body.next(first);
                while (bytes.isPresent()) {
                    whole.writeBytes(bytes.get());
                    if (whole.size() > limit) {
                        throw GatewayException.provider(
                                provider.name(), 502, "provider_error", "the answer is over %d bytes".formatted(limit));
                    }
                    bytes = body.next(idle);
                }
                return whole.toByteArray();
            } catch (IOException broken) {
                throw GatewayException.provider(
                        provider.name(), 502, "provider_error", "broke off in the middle of the answer", broken);
            } catch (TimeoutException late) {
                throw GatewayException.provider(
                        provider.name(), 504, "provider_timeout", "stopped in the middle of the answer", late);
            } finally {
                body.cancel();
            }
        }
    }
}
