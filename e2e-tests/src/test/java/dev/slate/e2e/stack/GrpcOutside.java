package dev.slate.e2e.stack;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;

/**
 * A gRPC server that knows every method: it answers each message at once with the caller's {@code authorization} and the
 * message. Thread-safe.
 */
final class GrpcOutside implements AutoCloseable {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Server server;
    private final List<String> authorizations = new CopyOnWriteArrayList<>();

    GrpcOutside(String address, KeyManagerFactory keys) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(address, 443))
                .sslContext(GrpcSslContexts.configure(SslContextBuilder.forServer(keys))
                        .build())
                .fallbackHandlerRegistry(new EveryMethod())
                .build()
                .start();
    }

    List<String> authorizations() {
        return authorizations;
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private final class EveryMethod extends HandlerRegistry {
        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
            MethodDescriptor<String, String> method = MethodDescriptor.<String, String>newBuilder()
                    .setFullMethodName(name)
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setRequestMarshaller(new Text())
                    .setResponseMarshaller(new Text())
                    .build();
            return ServerMethodDefinition.create(method, this::start);
        }

        private ServerCall.Listener<String> start(ServerCall<String, String> call, Metadata headers) {
            String authorization = String.valueOf(headers.get(AUTHORIZATION));
            authorizations.add(authorization);
            call.sendHeaders(new Metadata());
            call.request(1);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(String message) {
                    call.sendMessage(authorization + " " + message);
                    call.request(1);
                }

                @Override
                public void onHalfClose() {
                    call.close(io.grpc.Status.OK, new Metadata());
                }
            };
        }
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.ISO_8859_1));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
