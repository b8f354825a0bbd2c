package dev.slate.testing;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** Slate's public surface in memory, gRPC and HTTP on one port. Thread-safe. */
public final class FakePlatform implements AutoCloseable {

    /** The bearer token that it accepts. */
    public static final String TOKEN = "fake-token";

    /** A client id and secret that it gives {@link #TOKEN} for. */
    public static final String CLIENT_ID = "client";

    public static final String CLIENT_SECRET = "client secret";

    private final Server grpc;
    private final HttpServer http;
    private final OnePort port;
    private final List<Metadata> headers = new CopyOnWriteArrayList<>();
    private final FakeHttp files = new FakeHttp();

    private FakePlatform() throws IOException {
        var images = new FakeImages(files);
        grpc = ServerBuilder.forPort(0)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .intercept(new CheckToken())
                .addService(new FakeIdentity())
                .addService(new FakeSecrets())
                .addService(new FakeRouter())
                .addService(images)
                .addService(new FakeVolumes(files))
                .addService(new FakeSandboxes())
                .addService(new FakeExecs())
                .addService(new FakeFiles(files))
                .addService(new FakePorts())
                .build()
                .start();
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.createContext("/", files);
        http.start();
        port = OnePort.open(grpc.getPort(), http.getAddress().getPort());
    }

    public static FakePlatform start() {
        try {
            return new FakePlatform();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** For example {@code http://127.0.0.1:40123}. */
    public String endpoint() {
        return "http://127.0.0.1:" + port.number();
    }

    /** A header of the last gRPC call; empty when it had none. */
    public String lastHeader(String name) {
        var value = headers.getLast().get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
        return value == null ? "" : value;
    }

    /** Paths of all uploads so far, in order. */
    public List<String> uploads() {
        return files.uploads();
    }

    /** Cuts all connections, as a restart of the platform does; new ones work. */
    public void cutConnections() {
        port.cut();
    }

    @Override
    public void close() {
        port.close();
        grpc.shutdownNow();
        http.stop(0);
    }

    private final class CheckToken implements ServerInterceptor {

        private static final Metadata.Key<String> AUTHORIZATION =
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata sent, ServerCallHandler<Q, R> next) {
            headers.add(sent);
            if (("Bearer " + TOKEN).equals(sent.get(AUTHORIZATION))) {
                return next.startCall(call, sent);
            }
            call.close(Status.UNAUTHENTICATED.withDescription("token: not valid"), Fakes.code("UNAUTHENTICATED"));
            return new ServerCall.Listener<>() {};
        }
    }
}
