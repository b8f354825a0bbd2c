package dev.slate.controlplane.exec;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import dev.slate.api.exec.v1.ConnectPortRequest;
import dev.slate.api.exec.v1.ConnectPortResponse;
import dev.slate.api.exec.v1.OpenPort;
import dev.slate.api.exec.v1.PortEnded;
import dev.slate.api.exec.v1.PortOpened;
import dev.slate.common.auth.Caller;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.ClientGoneException;
import dev.slate.common.grpc.GrpcCalls;
import dev.slate.common.grpc.Replies;
import dev.slate.common.grpc.Requests;
import dev.slate.controlplane.agent.PortStream;
import dev.slate.controlplane.exec.RunningSandboxes.Reached;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import java.io.IOException;

/** Byte streams to ports in sandboxes over gRPC. Each side waits for the other; nothing is kept between them. */
@GrpcService
class PortsGrpc extends dev.slate.api.exec.v1.PortsGrpc.PortsImplBase {
    private static final int CHUNK = 64 * 1024;
    private static final int MOST_PORT = 0xFFFF;

    private final RunningSandboxes sandboxes;
    private final PortLimit limit;

    PortsGrpc(RunningSandboxes sandboxes, PortLimit limit) {
        this.sandboxes = sandboxes;
        this.limit = limit;
    }

    @Override
    public StreamObserver<ConnectPortRequest> connectPort(StreamObserver<ConnectPortResponse> observer) {
        return GrpcCalls.duplex(observer, this::connect);
    }

    private void connect(Requests<ConnectPortRequest> requests, Replies<ConnectPortResponse> replies) {
        OpenPort open = requests.next()
                .filter(ConnectPortRequest::hasOpen)
                .map(ConnectPortRequest::getOpen)
                .orElseThrow(() -> PlatformException.invalid("first request", "data", "open"));
        int port = open.getPort();
        if (port < 1 || port > MOST_PORT) {
            throw PlatformException.invalid("port", Integer.toUnsignedString(port), "1 to 65535");
        }
        Reached sandbox = sandboxes.reach(Caller.current(), open.getSandbox());
        try (var _ = limit.take(sandbox.id());
                PortStream stream = sandbox.agent().dial(port)) {
            // A quiet connection must not stay open for a client that is gone.
            Context.CancellationListener detach = _ -> stream.abort();
            Context context = Context.current();
            context.addListener(detach, MoreExecutors.directExecutor());
            try {
                replies.send(ConnectPortResponse.newBuilder()
                        .setOpened(PortOpened.getDefaultInstance())
                        .build());
                Thread up = Thread.ofVirtual().name("port-up").start(() -> up(requests, stream));
                down(stream, replies);
                up.join();
            } catch (IOException broken) {
                throw lost(port, broken);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw lost(port, interrupted);
            } finally {
                context.removeListener(detach);
            }
            if (!stream.isEnded()) {
                throw lost(port, new IOException("the server takes no more"));
            }
        }
    }

    /** What the client sends; a failure ends the other direction too. */
    private static void up(Requests<ConnectPortRequest> requests, PortStream stream) {
        try {
            for (var request = requests.next(); request.isPresent(); request = requests.next()) {
                stream.write(request.get().getData().toByteArray());
            }
            stream.endOutput();
        } catch (IOException | ClientGoneException _) {
            stream.abort();
        }
    }

    private static void down(PortStream stream, Replies<ConnectPortResponse> replies) throws IOException {
        byte[] buffer = new byte[CHUNK];
        for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
            replies.send(ConnectPortResponse.newBuilder()
                    .setData(ByteString.copyFrom(buffer, 0, count))
                    .build());
        }
        replies.send(ConnectPortResponse.newBuilder()
                .setEnd(PortEnded.getDefaultInstance())
                .build());
    }

    private static PlatformException lost(int port, Exception cause) {
        return new PlatformException(
                ErrorCode.UNAVAILABLE, "port %d: the connection broke: %s".formatted(port, cause.getMessage()), cause);
    }
}
