package dev.slate.standalone.sandbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** A registry on this host with one image: the shell of this host and a few programs. No network is needed. */
final class ShellRegistry implements AutoCloseable {
    private static final List<String> PROGRAMS = List.of("/bin/sh", "/bin/cat", "/bin/sleep");
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");

    private final HttpServer server;

    private ShellRegistry(HttpServer server) {
        this.server = server;
    }

    static ShellRegistry start() throws IOException {
        byte[] tar = tar();
        byte[] layer = gzip(tar);
        byte[] config = """
                {"architecture":"amd64","os":"linux","config":{"Env":["FROM_IMAGE=yes"]},
                "rootfs":{"type":"layers","diff_ids":["%s"]}}""".formatted(digest(tar)).getBytes(StandardCharsets.UTF_8);
        byte[] manifest = """
                {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
                "config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"%s","size":%d},
                "layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"%s","size":%d}]}""".formatted(digest(config), config.length, digest(layer), layer.length)
                .getBytes(StandardCharsets.UTF_8);
        Map<String, byte[]> blobs =
                Map.of(digest(config), config, digest(layer), layer, digest(manifest), manifest, "1", manifest);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v2/", exchange -> answer(exchange, blobs));
        server.start();
        return new ShellRegistry(server);
    }

    String image() {
        return "127.0.0.1:" + server.getAddress().getPort() + "/shell:1";
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private static void answer(HttpExchange exchange, Map<String, byte[]> blobs) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = blobs.get(path.substring(path.lastIndexOf('/') + 1));
            if (body == null) {
                exchange.sendResponseHeaders(path.equals("/v2/") ? 200 : 404, -1);
                return;
            }
            boolean manifest = path.contains("/manifests/");
            exchange.getResponseHeaders()
                    .add(
                            "Content-Type",
                            manifest ? "application/vnd.oci.image.manifest.v1+json" : "application/octet-stream");
            exchange.getResponseHeaders().add("Docker-Content-Digest", digest(body));
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static byte[] tar() throws IOException {
        List<String> files = new ArrayList<>(PROGRAMS);
        for (String program : PROGRAMS) {
            String libraries = new String(run(List.of("ldd", program)), StandardCharsets.UTF_8);
            LIBRARY.matcher(libraries)
                    .results()
                    .map((MatchResult match) -> match.group(1))
                    .filter(library -> !files.contains(library))
                    .forEach(files::add);
        }
        List<String> command = new ArrayList<>(List.of("tar", "--create", "--dereference", "--directory=/"));
        files.forEach(file -> command.add(file.substring(1)));
        return run(command);
    }

    private static byte[] run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return process.getInputStream().readAllBytes();
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream output = new GZIPOutputStream(zipped)) {
            output.write(bytes);
        }
        return zipped.toByteArray();
    }

    private static String digest(byte[] bytes) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
