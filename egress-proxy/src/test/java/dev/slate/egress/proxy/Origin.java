package dev.slate.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;

/** A host on the outside: records the head of every request and answers as its handler says. */
final class Origin implements AutoCloseable {

    /** Answers one request; false ends the connection. */
    interface Handler {
        boolean answer(String head, InputStream in, OutputStream out) throws IOException;
    }

    private final ServerSocket server;
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private volatile Handler handler = Origin::echo;

    /** Plain. */
    Origin() throws IOException {
        this(new ServerSocket());
    }

    Origin(SSLContext context) throws IOException {
        this(context.getServerSocketFactory().createServerSocket());
    }

    private Origin(ServerSocket unbound) throws IOException {
        server = unbound;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofVirtual().start(this::accept);
    }

    void handler(Handler newHandler) {
        handler = newHandler;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    List<String> heads() {
        return heads;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** Answers with what it was sent, as an honest echo service does. */
    static boolean echo(String head, InputStream in, OutputStream out) throws IOException {
        var body = head.getBytes(ISO_8859_1);
        out.write(("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Echo: " + header(head, "authorization")
                        + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(ISO_8859_1));
        out.write(body);
        out.flush();
        return true;
    }

    static String header(String head, String name) {
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException _) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in = socket.getInputStream();
            var out = socket.getOutputStream();
            while (true) {
                var head = new StringBuilder();
                while (!head.toString().endsWith("\r\n\r\n")) {
                    var next = in.read();
                    if (next < 0) {
                        return;
                    }
                    head.append((char) next);
                }
                heads.add(head.toString());
                if (!handler.answer(head.toString(), in, out)) {
                    return;
                }
            }
        } catch (IOException _) {
            // The other side went away.
        }
    }
}
