package dev.slate.sdk.internal;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The connections to one install: gRPC for calls, HTTP for large bytes. Thread-safe. */
public final class Transport implements AutoCloseable {

    private static final int MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
    private static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(60);

    private final Endpoint endpoint;
    private final Failures failures;
    private final ManagedChannel connection;
    private final StreamConnections streamConnections;
    private final Channel channel;
    private final Channel streams;
    private final Http http;

    public Transport(Endpoint endpoint, TokenSource tokens, Optional<String> environmentId, Failures failures) {
        this.endpoint = endpoint;
        this.failures = failures;
        this.connection = connect(endpoint);
        this.streamConnections = new StreamConnections(connection.authority(), () -> connect(endpoint));
        var headers = new CallHeaders(tokens, environmentId);
        this.channel = ClientInterceptors.intercept(connection, headers);
        this.streams = ClientInterceptors.intercept(streamConnections, headers);
        this.http = new Http(endpoint, tokens, environmentId, failures);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public Http http() {
        return http;
    }

    /** One request, one reply, within a minute. */
    public <Q, R> R call(MethodDescriptor<Q, R> method, Q request) {
        return call(method, request, DEFAULT_DEADLINE);
    }

    public <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Duration deadline) {
        var requestId = UUID.randomUUID().toString();
        var options = options(requestId).withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return ClientCalls.blockingUnaryCall(channel, method, options, request);
        } catch (StatusRuntimeException e) {
            throw failure(e, requestId);
        }
    }

    /** One request, many replies, for as long as it takes. */
    public <Q, R> EventStream<R> stream(MethodDescriptor<Q, R> method, Q request) {
        var requestId = UUID.randomUUID().toString();
        var context = Context.current().withCancellation();
        Callable<Iterator<R>> start =
                () -> ClientCalls.blockingServerStreamingCall(streams, method, options(requestId), request);
        try {
            return new EventStream<>(context, context.call(start), e -> failure(e, requestId));
        } catch (StatusRuntimeException e) {
            context.cancel(e);
            throw failure(e, requestId);
        } catch (RuntimeException e) {
            context.cancel(e);
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Requests and replies side by side, for as long as it takes. */
    public <Q, R> DuplexCall<Q, R> duplex(MethodDescriptor<Q, R> method) {
        var requestId = UUID.randomUUID().toString();
        return new DuplexCall<>(
                ClientCalls.blockingBidiStreamingCall(streams, method, options(requestId)), e -> failure(e, requestId));
    }

    @Override
    public void close() {
        http.close();
        streamConnections.close();
        connection.shutdown();
        try {
            if (!connection.awaitTermination(1, TimeUnit.SECONDS)) {
                connection.shutdownNow();
            }
        } catch (InterruptedException e) {
            connection.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private static CallOptions options(String requestId) {
        return CallOptions.DEFAULT.withOption(CallHeaders.REQUEST_ID, requestId);
    }

    private RuntimeException failure(StatusRuntimeException exception, String requestId) {
        return failures.exception(GrpcFailures.read(exception, endpoint, requestId));
    }

    private static ManagedChannel connect(Endpoint endpoint) {
        var builder = ManagedChannelBuilder.forAddress(endpoint.host(), endpoint.port())
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(20, TimeUnit.SECONDS)
                .idleTimeout(1, TimeUnit.MINUTES)
                .userAgent("slate-sdk-java");
        if (endpoint.loopback()) {
            builder.proxyDetector(_ -> null);
        }
        return (endpoint.encrypted() ? builder.useTransportSecurity() : builder.usePlaintext()).build();
    }
}
