package dev.slate.controlplane.agent;

import dev.slate.common.secret.SecretValue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A network between client and agent that can be cut. */
final class Relay implements AutoCloseable {
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    Relay(int port) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    Socket client = server.accept();
                    Socket agent = new Socket(InetAddress.getLoopbackAddress(), port);
                    sockets.addAll(List.of(client, agent));
                    Thread.ofVirtual().start(() -> copy(client, agent));
                    Thread.ofVirtual().start(() -> copy(agent, client));
                } catch (IOException e) {
                    // Closed.
                }
            }
        });
    }

    AgentClient client() {
        return new AgentClient("127.0.0.1", server.getLocalPort(), SecretValue.of(AgentProcess.TOKEN));
    }

    /** Breaks every connection; new ones work. */
    void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Cut.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
