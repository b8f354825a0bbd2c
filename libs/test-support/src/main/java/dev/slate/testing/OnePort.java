package dev.slate.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sends HTTP/2 connections, which begin with PRI, to one server and all others to another. */
final class OnePort implements AutoCloseable {

    private final ServerSocket server;
    private final int http2Port;
    private final int http1Port;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    private OnePort(ServerSocket server, int http2Port, int http1Port) {
        this.server = server;
        this.http2Port = http2Port;
        this.http1Port = http1Port;
    }

    static OnePort open(int http2Port, int http1Port) throws IOException {
        var port = new OnePort(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), http2Port, http1Port);
        Thread.ofVirtual().start(port::accept);
        return port;
    }

    int number() {
        return server.getLocalPort();
    }

    void cut() {
        sockets.forEach(OnePort::close);
        sockets.clear();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException _) {
            // It is gone all the same.
        }
        cut();
    }

    private void accept() {
        try {
            while (true) {
                var client = server.accept();
                sockets.add(client);
                Thread.ofVirtual().start(() -> connect(client));
            }
        } catch (IOException _) {
            // Closed.
        }
    }

    private void connect(Socket client) {
        try {
            var first = client.getInputStream().readNBytes(3);
            var http2 = first.length == 3 && first[0] == 'P' && first[1] == 'R' && first[2] == 'I';
            var target = new Socket(InetAddress.getLoopbackAddress(), http2 ? http2Port : http1Port);
            sockets.add(target);
            target.getOutputStream().write(first);
            Thread.ofVirtual().start(() -> pipe(target, client));
            pipe(client, target);
        } catch (IOException _) {
            close(client);
        }
    }

    private static void pipe(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            in.transferTo(to.getOutputStream());
        } catch (IOException _) {
            // One side is gone, so the other goes.
        } finally {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is gone all the same.
        }
    }
}
