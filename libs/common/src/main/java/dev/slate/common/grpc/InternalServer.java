package dev.slate.common.grpc;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.inprocess.InProcessServerBuilder;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.concurrent.Executors;

/**
 * The in-process gRPC server through which the services of one JVM call each other. It serves every gRPC service, the
 * {@link InternalApi} ones included, runs each call on a virtual thread, and no network port leads to it. A call made
 * on behalf of a user names the environment with {@link #inEnvironment}.
 */
@Startup
@Singleton
public class InternalServer {
    private final Server server;

    InternalServer(InternalChannel channel, @Any Instance<BindableService> services) {
        InProcessServerBuilder builder = InProcessServerBuilder.forName(channel.name())
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .intercept(new PlatformCaller());
        services.forEach(builder::addService);
        this.server = builder.build();
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
        server.shutdownNow();
    }

    /** A stub whose calls act in an environment. */
    public static <S extends io.grpc.stub.AbstractStub<S>> S inEnvironment(S stub, String environment) {
        return stub.withOption(InternalChannel.ENVIRONMENT_OPTION, environment);
    }

    /** Callers of this server are the platform itself: it may do everything. */
    private static final class PlatformCaller implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            String environment = headers.get(InternalChannel.ENVIRONMENT);
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
