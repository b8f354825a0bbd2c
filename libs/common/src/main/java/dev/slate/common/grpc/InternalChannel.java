package dev.slate.common.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.Executors;

/**
 * The way to the {@link InternalServer}. It does not need the server to be made: services that call others are part of
 * the server, so the one must exist before the other.
 */
@Singleton
class InternalChannel {
    static final Metadata.Key<String> ENVIRONMENT = Metadata.Key.of("x-slate-env-id", Metadata.ASCII_STRING_MARSHALLER);
    static final CallOptions.Key<String> ENVIRONMENT_OPTION = CallOptions.Key.create("slate-environment");

    private final String name = "slate-" + UUID.randomUUID();
    private final ManagedChannel channel = InProcessChannelBuilder.forName(name)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();

    /** Under which the server listens in this JVM. */
    String name() {
        return name;
    }

    @PreDestroy
    void stop() {
        channel.shutdownNow();
    }

    /** Reaches all services of this JVM. */
    @Produces
    @Singleton
    @InternalApi
    Channel channel() {
        return ClientInterceptors.intercept(channel, new EnvironmentHeader());
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
}
