package dev.slate.controlplane;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Calls methods of gRPC endpoints as a caller with certain permissions. */
public final class GrpcCall {
    /** The environment of all callers. */
    public static final String ENVIRONMENT = "env-1";

    private final @Nullable Caller caller;

    private GrpcCall(@Nullable Caller caller) {
        this.caller = caller;
    }

    /** A caller with these permissions. */
    public static GrpcCall with(Set<Permission> permissions) {
        return new GrpcCall(new Caller("ada", "Ada", "Developer", ENVIRONMENT, permissions));
    }

    /** A caller with all permissions but one. */
    public static GrpcCall without(Permission missing) {
        return with(EnumSet.complementOf(EnumSet.of(missing)));
    }

    /** Nobody. */
    public static GrpcCall anonymous() {
        return new GrpcCall(null);
    }

    /** The reply; a failure is thrown as the client would see it. */
    public <Q, R> R call(Q request, BiConsumer<Q, StreamObserver<R>> method) {
        CompletableFuture<R> reply = new CompletableFuture<>();
        Context.ROOT
                .withValue(Caller.CONTEXT, caller)
                .run(() -> method.accept(request, new StreamObserver<>() {
                    @Override
                    public void onNext(R value) {
                        reply.complete(value);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        reply.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        reply.completeExceptionally(new IllegalStateException("no reply"));
                    }
                }));
        try {
            return reply.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof StatusRuntimeException status ? GrpcErrors.fromStatus(status) : failure;
        }
    }

    /** The code with which a call is refused. */
    public <Q, R> ErrorCode refusal(Q request, BiConsumer<Q, StreamObserver<R>> method) {
        try {
            call(request, method);
        } catch (PlatformException refused) {
            return refused.code();
        }
        throw new AssertionError("the call was not refused");
    }
}
