package dev.slate.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Bytes over HTTP: bodies by digest, files of volumes and sandboxes by path, and the token exchange. */
final class FakeHttp implements HttpHandler {

    private final List<String> uploads = new CopyOnWriteArrayList<>();
    private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();

    List<String> uploads() {
        return List.copyOf(uploads);
    }

    boolean hasBody(String sha256) {
        return bodies.containsKey(sha256);
    }

    byte[] body(String sha256) {
        return bodies.getOrDefault(sha256, new byte[0]);
    }

    /** Under {@code volume/version/path} or {@code sandbox//path}. */
    Map<String, byte[]> files() {
        return files;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getRawPath();
        var body = exchange.getRequestBody().readAllBytes();
        if (path.equals("/v1/auth/token")) {
            exchangeToken(exchange, new String(body, StandardCharsets.UTF_8));
        } else if (!("Bearer " + FakePlatform.TOKEN)
                .equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            fail(exchange, 401, "UNAUTHENTICATED", "token: not valid");
        } else if (exchange.getRequestMethod().equals("PUT")) {
            uploads.add(path);
            put(exchange, path, body);
        } else {
            get(exchange, path);
        }
    }

    private static void exchangeToken(HttpExchange exchange, String form) throws IOException {
        if (form.equals("grant_type=client_credentials&client_id=client&client_secret=client%20secret")) {
            reply(exchange, 200, "{\"access_token\": \"" + FakePlatform.TOKEN + "\", \"expires_in\": 300}");
        } else {
            reply(exchange, 401, "{\"error\": \"invalid_client\"}");
        }
    }

    private void put(HttpExchange exchange, String path, byte[] body) throws IOException {
        var sha256 = sha256(body);
        if (path.startsWith("/v1/images/files/") && !path.endsWith(sha256)) {
            fail(exchange, 400, "INVALID_ARGUMENT", "digest: does not fit the bytes");
            return;
        }
        if (path.startsWith("/v1/sandboxes/")) {
            files.put(key(path, query(exchange).get("path")), body);
        } else {
            bodies.put(sha256, body);
        }
        reply(exchange, 200, "{\"sha256\": \"" + sha256 + "\", \"size\": " + body.length + "}");
    }

    private void get(HttpExchange exchange, String path) throws IOException {
        var query = query(exchange);
        var key = path.startsWith("/v1/volumes/")
                ? path.split("/", -1)[3] + "/" + query.getOrDefault("version", "") + "/" + query.get("path")
                : key(path, query.get("path"));
        var file = files.get(key);
        if (file == null) {
            fail(exchange, 404, "NOT_FOUND", "file not found: " + query.get("path"));
        } else {
            var range = exchange.getRequestHeaders().getFirst("Range");
            reply(exchange, range == null ? 200 : 206, range == null ? file : part(file, range));
        }
    }

    /** The tar of a directory is kept as it came. */
    private static String key(String path, @Nullable String file) {
        return (path.endsWith("/tree") ? "sandbox-tree//" : "sandbox//") + file;
    }

    private static byte[] part(byte[] file, String range) {
        var ends = range.substring("bytes=".length()).split("-", 2);
        long end = Math.min(file.length, Long.parseLong(ends[1]) + 1);
        return Arrays.copyOfRange(file, Integer.parseInt(ends[0]), (int) end);
    }

    private static Map<String, String> query(HttpExchange exchange) {
        var query = new HashMap<String, String>();
        Arrays.stream(exchange.getRequestURI().getRawQuery().split("&", -1)).forEach(part -> {
            var pair = part.split("=", 2);
            query.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
        });
        return query;
    }

    private static void fail(HttpExchange exchange, int status, String code, String message) throws IOException {
        reply(exchange, status, "{\"error\": {\"code\": \"" + code + "\", \"message\": \"" + message + "\"}}");
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        reply(exchange, status, body.getBytes(StandardCharsets.UTF_8));
    }

    private static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
