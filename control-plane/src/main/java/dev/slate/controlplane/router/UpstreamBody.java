package dev.slate.controlplane.router;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The answer of a provider as it comes in. It reads on only when asked, so a slow client slows its provider and memory
 * stays bounded. {@link #next} belongs to one thread, {@link #cancel} to any.
 */
final class UpstreamBody implements Flow.Subscriber<List<ByteBuffer>> {
    private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

    /** The bytes that came next, or nothing at a clean end. An end that is not clean is an {@link IOException}. */
    Optional<byte[]> next(Duration limit) throws IOException, TimeoutException {
        var _ = subscription.thenAccept(upstream -> upstream.request(1));
        try {
            Signal signal = signals.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (signal == null) {
                throw new TimeoutException("silent for " + limit);
            }
            return switch (signal) {
                case Signal.Bytes(var bytes) -> Optional.of(bytes);
                case Signal.End() -> Optional.empty();
                case Signal.Failed(var cause) -> throw new IOException("the provider broke off", cause);
                case Signal.Cancelled() -> throw new ClientGoneException();
            };
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    /** Closes the provider's connection; a waiting {@link #next} ends. */
    void cancel() {
        var _ = subscription.thenAccept(Flow.Subscription::cancel);
        signals.add(new Signal.Cancelled());
    }

    @Override
    public void onSubscribe(Flow.Subscription upstream) {
        subscription.complete(upstream);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        byte[] bytes = new byte[buffers.stream().mapToInt(ByteBuffer::remaining).sum()];
        int at = 0;
        for (ByteBuffer buffer : buffers) {
            int length = buffer.remaining();
            buffer.get(bytes, at, length);
            at += length;
        }
        signals.add(new Signal.Bytes(bytes));
    }

    @Override
    public void onError(Throwable cause) {
        signals.add(new Signal.Failed(cause));
    }

    @Override
    public void onComplete() {
        signals.add(new Signal.End());
    }

    private sealed interface Signal {
        // An array as a component is compared by identity, which nobody does here.
        @SuppressWarnings("ArrayRecordComponent")
        record Bytes(byte[] bytes) implements Signal {}

        record End() implements Signal {}

        record Failed(Throwable cause) implements Signal {}

        record Cancelled() implements Signal {}
    }
}
