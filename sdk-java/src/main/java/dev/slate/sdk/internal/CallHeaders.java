package dev.slate.sdk.internal;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.Optional;

/** Puts the token, the environment and a request id on every gRPC call. */
final class CallHeaders implements ClientInterceptor {

    static final CallOptions.Key<String> REQUEST_ID = CallOptions.Key.create("request-id");

    private static final Metadata.Key<String> AUTHORIZATION = key("authorization");
    private static final Metadata.Key<String> ENVIRONMENT = key("x-slate-env-id");
    private static final Metadata.Key<String> REQUEST = key("x-request-id");

    private final TokenSource tokens;
    private final Optional<String> environmentId;

    CallHeaders(TokenSource tokens, Optional<String> environmentId) {
        this.tokens = tokens;
        this.environmentId = environmentId;
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        var token = tokens.token();
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<R> listener, Metadata headers) {
                headers.put(AUTHORIZATION, "Bearer " + token);
                headers.put(REQUEST, options.getOption(REQUEST_ID));
                environmentId.ifPresent(id -> headers.put(ENVIRONMENT, id));
                super.start(listener, headers);
            }
        };
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
