package dev.slate.controlplane.router;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The client's side of an exchange, for a virtual thread that may wait. Each write waits until the bytes are out, so a
 * slow client slows its exchange only. {@link ClientGoneException} ends the exchange of a client that has gone.
 */
final class ClientConnection {
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final Duration limit;

    /** Takes over a request whose body has been paused. */
    ClientConnection(RoutingContext routing, Duration limit, Runnable whenGone) {
        this.request = routing.request();
        this.response = routing.response();
        this.limit = limit;
        routing.addEndHandler(_ -> whenGone.run());
    }

    /** A header of the request. */
    Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeader(name));
    }

    /** The whole body; one over the limit is refused, and what still comes of it is dropped. */
    byte[] readBody(long maxBytes) {
        CompletableFuture<Buffer> whole = new CompletableFuture<>();
        Buffer collected = Buffer.buffer();
        request.handler(part -> {
                    if (collected.length() + (long) part.length() <= maxBytes) {
                        collected.appendBuffer(part);
                    } else {
                        whole.completeExceptionally(GatewayException.tooLarge(maxBytes));
                    }
                })
                .exceptionHandler(whole::completeExceptionally)
                .endHandler(_ -> whole.complete(collected))
                .resume();
        try {
            return whole.get(limit.toNanos(), TimeUnit.NANOSECONDS).getBytes();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof GatewayException refused) {
                throw refused;
            }
            throw new ClientGoneException();
        } catch (TimeoutException _) {
            throw gone();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw gone();
        }
    }

    /** Drops a body that nobody wants to read. */
    void dropBody() {
        if (!request.isEnded()) {
            request.handler(_ -> {}).resume();
        }
    }

    /** Answers with a whole body. */
    void send(int status, Map<String, String> headers, byte[] body) {
        response.setStatusCode(status);
        headers.forEach(response::putHeader);
        await(() -> response.end(Buffer.buffer(body)));
    }

    /** Begins an answer whose parts follow. */
    void start(int status, Map<String, String> headers) {
        response.setStatusCode(status).setChunked(true);
        headers.forEach(response::putHeader);
    }

    /** Sends a part at once. */
    void write(byte[] part) {
        await(() -> response.write(Buffer.buffer(part)));
    }

    /** Whether part of an answer is on its way. */
    boolean started() {
        return response.headWritten();
    }

    /** Ends an answer in order. */
    void end() {
        await(response::end);
    }

    /** Breaks the connection, so that no client takes what it got for the whole. */
    void breakOff() {
        response.reset();
    }

    private void await(Supplier<Future<Void>> write) {
        try {
            write.get().toCompletionStage().toCompletableFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | IllegalStateException _) {
            // The response was closed, before or during the write.
            throw gone();
        } catch (TimeoutException _) {
            throw gone();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw gone();
        }
    }

    private ClientGoneException gone() {
        breakOff();
        return new ClientGoneException();
    }
}
