package dev.slate.sdk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A local port that leads into a sandbox: each connection to it becomes one to the port inside. Closing it ends all of
 * them. Thread-safe.
 */
public final class PortForward implements AutoCloseable {

    private static final int WAITING = 50;
    private static final int PIECE = 64 * 1024;

    private final Sandbox sandbox;
    private final int port;
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile Consumer<SlateException> onFailure = _ -> {};

    private PortForward(Sandbox sandbox, int port, ServerSocket server) {
        this.sandbox = sandbox;
        this.port = port;
        this.server = server;
    }

    static PortForward open(Sandbox sandbox, int port, int localPort) {
        if (port < 1 || port > 0xFFFF) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1 to 65535)");
        }
        try {
            var server = new ServerSocket(localPort, WAITING, InetAddress.ofLiteral("127.0.0.1"));
            var forward = new PortForward(sandbox, port, server);
            Thread.ofVirtual().name("slate-forward").start(forward::accept);
            return forward;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + localPort + " of 127.0.0.1", e);
        }
    }

    /** Where to connect to: 127.0.0.1 and the local port. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    public int localPort() {
        return server.getLocalPort();
    }

    /** Called when a connection could not be made, for example because nothing listens inside; it is then reset. */
    public PortForward onFailure(Consumer<SlateException> listener) {
        this.onFailure = listener;
        return this;
    }

    @Override
    public void close() {
        close(server);
        open.forEach(PortForward::reset);
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().name("slate-forward-down").start(() -> serve(socket));
            }
        } catch (IOException _) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (var connection = sandbox.connect(port)) {
            socket.setTcpNoDelay(true);
            var up = Thread.ofVirtual().name("slate-forward-up").start(() -> up(socket, connection));
            copyDown(socket, connection);
            up.join();
            close(socket);
        } catch (SlateException e) {
            reset(socket);
            onFailure.accept(e);
        } catch (IOException _) {
            reset(socket);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            reset(socket);
        } finally {
            open.remove(socket);
            if (server.isClosed()) {
                reset(socket);
            }
        }
    }

    private static void up(Socket socket, PortConnection connection) {
        var buffer = new byte[PIECE];
        try {
            var in = socket.getInputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                connection.output().write(buffer, 0, count);
            }
            connection.output().close();
        } catch (IOException _) {
            connection.close();
            reset(socket);
        }
    }

    private static void copyDown(Socket socket, PortConnection connection) throws IOException {
        var buffer = new byte[PIECE];
        var out = socket.getOutputStream();
        for (int count = connection.input().read(buffer);
                count >= 0;
                count = connection.input().read(buffer)) {
            out.write(buffer, 0, count);
        }
        socket.shutdownOutput();
    }

    /** Tells the other side that this is no regular end. */
    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException _) {
            // It is gone already.
        }
        close(socket);
    }

    private static void close(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception _) {
            // Closing is all that was wanted.
        }
    }
}
