package dev.slate.common.grpc;

import dev.slate.common.auth.Authentication;
import dev.slate.common.auth.Caller;
import dev.slate.common.auth.ProxyProof;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.GrpcErrors;
import dev.slate.common.error.PlatformException;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.quarkus.grpc.GlobalInterceptor;
import jakarta.inject.Singleton;

/** Lets only callers with a valid token reach the public gRPC services. */
@GlobalInterceptor
@Singleton
public class CallerInterceptor implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> ENVIRONMENT =
            Metadata.Key.of("x-slate-env-id", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> SANDBOX =
            Metadata.Key.of(ProxyProof.SANDBOX_HEADER, Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> PROOF =
            Metadata.Key.of(ProxyProof.PROOF_HEADER, Metadata.ASCII_STRING_MARSHALLER);

    private final Authentication authentication;

    CallerInterceptor(Authentication authentication) {
        this.authentication = authentication;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Caller caller;
        try {
            if (headers.containsKey(SANDBOX) || headers.containsKey(PROOF)) {
                throw new PlatformException(
                        ErrorCode.PERMISSION_DENIED, "requests from a sandbox reach the gateways only");
            }
            caller = authentication.authenticate(headers.get(AUTHORIZATION), headers.get(ENVIRONMENT));
        } catch (RuntimeException refused) {
            StatusRuntimeException status = GrpcErrors.toStatus(refused);
            Metadata trailers = status.getTrailers();
            call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(Context.current().withValue(Caller.CONTEXT, caller), call, headers, next);
    }
}
