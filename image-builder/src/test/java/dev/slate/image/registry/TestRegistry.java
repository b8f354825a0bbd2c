package dev.slate.image.registry;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.slate.tree.Digest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;

/** A registry that asks for a token, redirects blobs to another path and can be told to lie. */
public final class TestRegistry implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOKEN = "a-token";

    private final HttpServer server;
    private final Map<String, byte[]> content = new ConcurrentHashMap<>();
    private final Map<String, String> types = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    public TestRegistry() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/token", exchange -> answer(exchange, 200, "{\"token\":\"" + TOKEN + "\"}"));
        server.createContext("/storage/", this::storage);
        server.createContext("/v2/", this::registry);
        server.start();
    }

    public String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    public List<String> requests() {
        return requests;
    }

    /** Puts an image of one layer there, behind an index of two platforms, under a tag. */
    public Digest addImage(String repository, String tag, byte[] tar, String architecture, String vendor) {
        byte[] blob = gzip(tar);
        Digest layer = addBlob(repository, blob);
        ObjectNode config =
                JSON.createObjectNode().put("architecture", architecture).put("os", "linux");
        config.putObject("config")
                .put("WorkingDir", "/srv")
                .putArray("Env")
                .add("PATH=/bin")
                .add("ODD.NAME=x");
        config.putObject("rootfs")
                .put("type", "layers")
                .putArray("diff_ids")
                .add(Digest.of(tar).toString());
        byte[] configBytes = bytes(config);
        ObjectNode manifest = JSON.createObjectNode().put("schemaVersion", 2);
        manifest.put("mediaType", vendor + "manifest.v2+json");
        manifest.putObject("config")
                .put("mediaType", vendor + "container.image.v1+json")
                .put("digest", addBlob(repository, configBytes).toString())
                .put("size", configBytes.length);
        manifest.putArray("layers")
                .addObject()
                .put("mediaType", vendor + "image.rootfs.diff.tar.gzip")
                .put("digest", layer.toString())
                .put("size", blob.length);
        byte[] manifestBytes = bytes(manifest);
        Digest digest = Digest.of(manifestBytes);
        add(repository + "/manifests/" + digest, manifestBytes, vendor + "manifest.v2+json");
        ObjectNode index = JSON.createObjectNode().put("schemaVersion", 2);
        index.put("mediaType", vendor + "manifest.list.v2+json");
        var manifests = index.putArray("manifests");
        manifests
                .addObject()
                .put("digest", "sha256:" + "1".repeat(64))
                .putObject("platform")
                .put("os", "windows");
        manifests
                .addObject()
                .put("digest", digest.toString())
                .putObject("platform")
                .put("os", "linux")
                .put("architecture", architecture);
        add(repository + "/manifests/" + tag, bytes(index), vendor + "manifest.list.v2+json");
        return digest;
    }

    Digest addBlob(String repository, byte[] blob) {
        Digest digest = Digest.of(blob);
        add(repository + "/blobs/" + digest, blob, "application/octet-stream");
        return digest;
    }

    /** Answers something else than what was asked for. */
    void damage(String path) {
        content.computeIfPresent(path, (_, bytes) -> {
            byte[] damaged = bytes.clone();
            damaged[damaged.length - 1] ^= 1;
            return damaged;
        });
    }

    List<String> paths() {
        return content.keySet().stream().sorted().toList();
    }

    private void add(String path, byte[] bytes, String type) {
        content.put(path, bytes);
        types.put(path, type);
    }

    private void registry(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath().substring("/v2/".length());
        requests.add(path);
        if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            exchange.getResponseHeaders()
                    .set(
                            "WWW-Authenticate",
                            "Bearer realm=\"http://" + host()
                                    + "/token\",service=\"test\",scope=\"repository:x:pull\"");
            answer(exchange, 401, "");
        } else if (!content.containsKey(path)) {
            answer(exchange, 404, "");
        } else if (path.contains("/blobs/")) {
            exchange.getResponseHeaders().set("Location", "/storage/" + path);
            answer(exchange, 307, "");
        } else {
            send(exchange, path);
        }
    }

    private void storage(HttpExchange exchange) throws IOException {
        send(exchange, exchange.getRequestURI().getPath().substring("/storage/".length()));
    }

    private void send(HttpExchange exchange, String path) throws IOException {
        byte[] bytes = content.getOrDefault(path, new byte[0]);
        exchange.getResponseHeaders().set("Content-Type", types.getOrDefault(path, "text/plain"));
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static byte[] bytes(ObjectNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
