package dev.slate.e2e.stack;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The outside world as sandboxes see it: an HTTP and an HTTPS server on an address of this machine that is not
 * loopback, under several made-up names, which records every request. Paths: {@code /echo} answers with the request as
 * text, {@code /redirect?to=URL} redirects, {@code /slow} takes a minute, anything else answers {@code ok}. Thread-safe.
 */
public final class Outside implements AutoCloseable {
    /** Names that lead here. */
    public static final String BOUND = "bound.slate-test.net";

    public static final String OTHER = "other.slate-test.net";
    public static final String OPEN = "open.slate-test.net";
    public static final String UNLISTED = "unlisted.slate-test.net";
    /** Speaks gRPC, at an address of its own. */
    public static final String GRPC = "grpc.slate-test.net";

    static final List<String> NAMES = List.of(BOUND, OTHER, OPEN, UNLISTED, GRPC);

    private static final String PASSWORD = "outside";

    private final Path folder;
    private final String address;
    private final HttpServer plain;
    private final HttpsServer secure;
    private final GrpcOutside grpc;
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    /** One request that arrived. Header names are in lower case. */
    public record Request(String host, String method, String target, Map<String, String> headers, String body) {
        /** Everything that arrived, as one text. */
        public String text() {
            return method + " " + target + "\n"
                    + headers.entrySet().stream()
                            .map(header -> header.getKey() + ": " + header.getValue())
                            .collect(Collectors.joining("\n"))
                    + "\n\n" + body;
        }
    }

    private Outside(Path folder, String address) throws IOException, GeneralSecurityException {
        this.folder = folder;
        this.address = address;
        makeCertificates();
        this.plain = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), 80), 64);
        this.secure = HttpsServer.create(new InetSocketAddress(InetAddress.getByName(address), 443), 64);
        secure.setHttpsConfigurator(new HttpsConfigurator(serverContext()));
        for (HttpServer server : List.of(plain, secure)) {
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", this::answer);
            server.start();
        }
        this.grpc = new GrpcOutside(grpcAddress(), keys());
    }

    /** Adds the address to this machine and starts the servers. */
    public static Outside start(Path folder, String address) {
        try {
            Files.createDirectories(folder);
            Shell.run("ip", "address", "replace", address + "/32", "dev", "lo");
            Shell.run("ip", "address", "replace", grpcAddress(address) + "/32", "dev", "lo");
            return new Outside(folder, address);
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException("the outside does not start on " + address, failure);
        }
    }

    /** The address of the servers. */
    public String address() {
        return address;
    }

    /** The address of the server for gRPC. */
    public String grpcAddress() {
        return grpcAddress(address);
    }

    /** A number with one more digit: .1 becomes .11. */
    private static String grpcAddress(String address) {
        return address + "1";
    }

    /** The value of the header {@code authorization} of every call of gRPC so far. */
    public List<String> grpcAuthorizations() {
        return grpc.authorizations();
    }

    /** The certificate authority of the HTTPS server, PEM. */
    public Path authority() {
        return folder.resolve("ca.pem");
    }

    /** All requests so far for a host. */
    public List<Request> requestsFor(String host) {
        return requests.stream().filter(request -> request.host().equals(host)).toList();
    }

    @Override
    public void close() {
        plain.stop(0);
        secure.stop(0);
        grpc.close();
        Shell.run("ip", "address", "delete", address + "/32", "dev", "lo");
        Shell.run("ip", "address", "delete", grpcAddress() + "/32", "dev", "lo");
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream in = exchange.getRequestBody()) {
            Request request = record(exchange, in);
            String target = request.target();
            if (target.startsWith("/redirect?to=")) {
                exchange.getResponseHeaders().set("Location", target.substring("/redirect?to=".length()));
                exchange.sendResponseHeaders(302, -1);
                return;
            }
            if (target.startsWith("/slow")) {
                exchange.sendResponseHeaders(200, 0);
                dribble(exchange.getResponseBody());
                return;
            }
            byte[] body = (target.startsWith("/echo") ? request.text() : "ok").getBytes(StandardCharsets.UTF_8);
            if (target.startsWith("/echo")) {
                exchange.getResponseHeaders()
                        .set("X-Reflected", request.headers().getOrDefault("authorization", "none"));
            }
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    /** Ten bytes every 20 ms for a minute, or until nobody takes them. */
    private static void dribble(OutputStream out) throws IOException {
        try (out) {
            for (int i = 0; i < 3000; i++) {
                out.write("0123456789".getBytes(StandardCharsets.UTF_8));
                out.flush();
                Thread.sleep(20);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Request record(HttpExchange exchange, InputStream in) throws IOException {
        Map<String, String> headers = new TreeMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
        Request request = new Request(
                headers.getOrDefault("host", ""),
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                headers,
                new String(in.readAllBytes(), StandardCharsets.UTF_8));
        requests.add(request);
        return request;
    }

    private void makeCertificates() throws IOException {
        // Other names need another certificate.
        Path made = folder.resolve("names");
        if (Files.exists(made) && Files.readString(made).equals(String.join(",", NAMES))) {
            return;
        }
        for (String old : List.of("ca.p12", "ca.pem", "server.p12", "server.csr", "server.pem")) {
            Files.deleteIfExists(folder.resolve(old));
        }
        keytool(
                "-genkeypair",
                "-alias",
                "ca",
                "-keystore",
                "ca.p12",
                "-dname",
                "CN=Outside test CA",
                "-ext",
                "bc:c",
                "-ext",
                "ku:c=keyCertSign,cRLSign");
        keytool("-exportcert", "-rfc", "-alias", "ca", "-keystore", "ca.p12", "-file", "ca.pem");
        String names = NAMES.stream().map(name -> "dns:" + name).collect(Collectors.joining(","));
        keytool("-importcert", "-noprompt", "-alias", "root", "-keystore", "server.p12", "-file", "ca.pem");
        keytool("-genkeypair", "-alias", "server", "-keystore", "server.p12", "-dname", "CN=outside");
        keytool("-certreq", "-alias", "server", "-keystore", "server.p12", "-file", "server.csr");
        keytool(
                "-gencert",
                "-rfc",
                "-alias",
                "ca",
                "-keystore",
                "ca.p12",
                "-infile",
                "server.csr",
                "-outfile",
                "server.pem",
                "-ext",
                "san=" + names,
                "-ext",
                "ku:c=digitalSignature",
                "-ext",
                "eku=serverAuth");
        keytool("-importcert", "-noprompt", "-alias", "server", "-keystore", "server.p12", "-file", "server.pem");
        Files.writeString(made, String.join(",", NAMES));
    }

    private void keytool(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        if (List.of(arguments).contains("-genkeypair")) {
            command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "30"));
        }
        Shell.in(folder, command.toArray(String[]::new));
    }

    private SSLContext serverContext() throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys().getKeyManagers(), null, null);
        return context;
    }

    private KeyManagerFactory keys() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve("server.p12"))) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        return keys;
    }
}
