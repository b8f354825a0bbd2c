package dev.slate.e2e.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * A server of a company's own network: in a network namespace, so that its private address is not one of this machine.
 * It answers {@code intranet} and the path on ports 80 and 8080, to HTTP only.
 */
public final class Intranet implements AutoCloseable {
    /** Where it is. */
    public static final String ADDRESS = "10.234.77.2";

    /** A name that leads there, which the operator made no exception for. */
    public static final String NAME = "intranet.slate-test.net";

    private static final String NAMESPACE = "slate-e2e-intranet";
    private static final String LINK = "slate-e2e-in";
    private static final String SERVER = """
            import http.server, threading
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    body = ("intranet " + self.path).encode()
                    self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
                    self.wfile.write(body)
            servers = [http.server.ThreadingHTTPServer(("0.0.0.0", port), Handler) for port in (80, 8080)]
            for server in servers: threading.Thread(target=server.serve_forever).start()
            print("ready", flush=True)
            """;

    private final Process server;

    private Intranet(Process server) {
        this.server = server;
    }

    /** Makes the network and starts the server. */
    public static Intranet start(Path folder) {
        remove();
        Shell.run("ip", "netns", "add", NAMESPACE);
        Shell.run("ip", "link", "add", LINK, "type", "veth", "peer", "name", "eth0", "netns", NAMESPACE);
        Shell.run("ip", "address", "add", "10.234.77.1/30", "dev", LINK);
        Shell.run("ip", "link", "set", LINK, "up");
        Shell.run("ip", "-n", NAMESPACE, "address", "add", ADDRESS + "/30", "dev", "eth0");
        Shell.run("ip", "-n", NAMESPACE, "link", "set", "eth0", "up");
        try {
            Files.createDirectories(folder);
            Path log = folder.resolve("intranet.log");
            Process server = new ProcessBuilder("ip", "netns", "exec", NAMESPACE, "python3", "-c", SERVER)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Instant limit = Instant.now().plus(Duration.ofSeconds(20));
            while (!Files.readString(log).contains("ready")) {
                if (!server.isAlive() || Instant.now().isAfter(limit)) {
                    throw new IllegalStateException("the intranet does not start: " + Files.readString(log));
                }
                Thread.sleep(50);
            }
            return new Intranet(server);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        server.destroyForcibly();
        remove();
    }

    private static void remove() {
        Shell.run(
                "sh",
                "-c",
                "ip netns delete " + NAMESPACE + " 2>/dev/null; ip link delete " + LINK + " 2>/dev/null; true");
    }
}
