package dev.slate.common.grpc;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.UUID;
import java.util.concurrent.Executors;

/**
 * The in-process gRPC server through which the services of one JVM call each other. It serves every gRPC service, the
 * {@link InternalApi} ones included, runs each call on a virtual thread, and no network port leads to it. A call made
 * on behalf of a user names the environment with {@link #inEnvironment}.
 */
@Startup
@Singleton
public class InternalServer {
    private static final Metadata.Key<String> ENVIRONMENT =
            Metadata.Key.of("x-slate-env-id", Metadata.ASCII_STRING_MARSHALLER);
    private static final CallOptions.Key<String> ENVIRONMENT_OPTION = CallOptions.Key.create("slate-environment");

    private final String name = "slate-" + UUID.randomUUID();
    private final Instance<BindableService> services;
    private final Server server;
    private final ManagedChannel channel;

    InternalServer(@Any Instance<BindableService> services) {
        this.services = services;
        InProcessServerBuilder builder = InProcessServerBuilder.forName(name)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .intercept(new PlatformCaller());
        this.services.forEach(builder::addService);
        this.server = builder.build();
        this.channel = InProcessChannelBuilder.forName(name)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    @PostConstruct
    void start() {
        try {
            server.start();
        } catch (IOException failure) {
            throw new UncheckedIOException("the in-process server does not start", failure);
        }
    }

    @PreDestroy
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
    }

    /** Reaches all services of this JVM. */
    @Produces
    @Singleton
    @InternalApi
    Channel channel() {
        return ClientInterceptors.intercept(channel, new EnvironmentHeader());
    }

    /** A stub whose calls act in an environment. */
    public static <S extends io.grpc.stub.AbstractStub<S>> S inEnvironment(S stub, String environment) {
        return stub.withOption(ENVIRONMENT_OPTION, environment);
    }

    /** Carries the environment of a call. */
    private static final class EnvironmentHeader implements ClientInterceptor {
        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return new ForwardingClientCall.SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<R> listener, Metadata headers) {
                    String environment = options.getOption(ENVIRONMENT_OPTION);
                    if (environment != null) {
                        headers.put(ENVIRONMENT, environment);
                    }
                    super.start(listener, headers);
                }
            };
        }
    }

    /** Callers of this server are the platform itself: it may do everything. */
    private static final class PlatformCaller implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            String environment = headers.get(ENVIRONMENT);
            Caller caller = new Caller(
                    "platform",
                    "the platform",
                    "platform",
                    environment == null ? "" : environment,
                    EnumSet.allOf(Permission.class));
            return Contexts.interceptCall(Context.current().withValue(Caller.CONTEXT, caller), call, headers, next);
        }
    }
}
