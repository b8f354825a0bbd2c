package dev.slate.controlplane.agent;

import dev.slate.common.secret.SecretValue;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers every connection in the same way, whatever is asked, and closes it. */
final class HostileAgent implements AutoCloseable {
    private final ServerSocket server;
    private final AtomicInteger connections = new AtomicInteger();

    /** Writes what the agent answers. */
    interface Answer {
        void to(OutputStream client) throws IOException;
    }

    HostileAgent(byte[] reply) throws IOException {
        this(client -> client.write(reply));
    }

    HostileAgent(Answer answer) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    Socket socket = server.accept();
                    connections.incrementAndGet();
                    var _ = Thread.ofVirtual().start(() -> serve(socket, answer));
                } catch (IOException e) {
                    // Closed.
                }
            }
        });
    }

    private static void serve(Socket socket, Answer answer) {
        try (socket) {
            // Two frames: the token and the request.
            readFrame(socket);
            readFrame(socket);
            answer.to(socket.getOutputStream());
            socket.shutdownOutput();
            // Closing with unread bytes would reset the connection, and the client might not see the answer.
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The client may go at any time.
        }
    }

    private static void readFrame(Socket socket) throws IOException {
        int length = ByteBuffer.wrap(socket.getInputStream().readNBytes(4)).getInt();
        socket.getInputStream().skipNBytes(length);
    }

    AgentClient client() {
        return new AgentClient("127.0.0.1", server.getLocalPort(), SecretValue.of("token"));
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
