import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An offline stand-in for a model provider: an OpenAI-compatible server that follows a script. Asked about the loans, it
 * calls the tool run_python with a script of its own, reads what the script printed, and answers from that. It is no
 * model: any other question gets the same script.
 *
 * <p>Usage: {@code slate run OfflineModel.java [PORT]}. Prints its base URL and serves until its standard input ends.
 */
class OfflineModel {
    private static final String MODEL = "loan-analyst";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern RATE = Pattern.compile("([a-z_]+)\\s+(0\\.\\d+)");
    private static final String SCRIPT = """
            import pandas as pd

            loans = pd.read_csv("/data/loans.csv")

            rates = (
                loans.groupby("purpose")["defaulted"]
                .mean()
                .sort_values(ascending=False)
            )

            worst = rates.index[0]

            print(worst, rates.iloc[0])
            """;

    public static void main(String... arguments) throws IOException {
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/v1/models", OfflineModel::models);
        server.createContext("/v1/chat/completions", OfflineModel::complete);
        server.start();
        IO.println("http://127.0.0.1:%d/v1".formatted(server.getAddress().getPort()));
        System.err.println("This is a scripted model: it follows a script, no real model answers.");
        System.in.transferTo(OutputStream.nullOutputStream());
        server.stop(0);
    }

    private static void models(HttpExchange exchange) throws IOException {
        reply(exchange, 200, Map.of("object", "list", "data", List.of(Map.of("id", MODEL, "object", "model"))));
    }

    private static void complete(HttpExchange exchange) throws IOException {
        JsonNode request = JSON.readTree(exchange.getRequestBody());
        if (!request.path("model").asText().equals(MODEL)) {
            reply(exchange, 404, Map.of("error", Map.of("message", "the scripted model is " + MODEL, "type", "invalid_request_error")));
            return;
        }
        Map<String, Object> message = nextMessage(request.path("messages"));
        String reason = message.containsKey("tool_calls") ? "tool_calls" : "stop";
        if (request.path("stream").asBoolean()) {
            stream(exchange, message, reason);
            return;
        }
        reply(exchange, 200, Map.of(
                "id", "chatcmpl-scripted",
                "object", "chat.completion",
                "created", 0,
                "model", MODEL,
                "choices", List.of(Map.of("index", 0, "message", message, "finish_reason", reason)),
                "usage", Map.of("prompt_tokens", 0, "completion_tokens", 0, "total_tokens", 0)));
    }

    private static Map<String, Object> nextMessage(JsonNode messages) throws IOException {
        String output = null;
        for (JsonNode message : messages) {
            if (message.path("role").asText().equals("tool")) {
                output = message.path("content").asText();
            }
        }
        if (output == null) {
            String code = JSON.writeValueAsString(Map.of("code", SCRIPT));
            Map<String, Object> call = Map.of(
                    "id", "call_scripted",
                    "type", "function",
                    "function", Map.of("name", "run_python", "arguments", code));
            return Map.of("role", "assistant", "content", "", "tool_calls", List.of(call));
        }
        return Map.of("role", "assistant", "content", answer(output));
    }

    private static String answer(String output) {
        Matcher rate = RATE.matcher(output);
        if (!rate.find()) {
            return "The script did not print a purpose and a rate. It printed: " + output;
        }
        return String.format(
                Locale.ROOT,
                "The loan purpose with the highest default rate is \"%s\" with a default rate of approximately %.2f%%.",
                rate.group(1),
                100 * Double.parseDouble(rate.group(2)));
    }

    private static void stream(HttpExchange exchange, Map<String, Object> message, String reason) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            frame(out, Map.of("index", 0, "delta", delta(message)));
            frame(out, Map.of("index", 0, "delta", Map.of(), "finish_reason", reason));
            out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Map<String, Object> delta(Map<String, Object> message) {
        if (!(message.get("tool_calls") instanceof List<?> calls)) {
            return message;
        }
        Map<?, ?> call = (Map<?, ?>) calls.getFirst();
        return Map.of("role", "assistant", "tool_calls", List.of(Map.of(
                "index", 0, "id", call.get("id"), "type", "function", "function", call.get("function"))));
    }

    private static void frame(OutputStream out, Map<String, Object> choice) throws IOException {
        String chunk = JSON.writeValueAsString(Map.of(
                "id", "chatcmpl-scripted",
                "object", "chat.completion.chunk",
                "created", 0,
                "model", MODEL,
                "choices", List.of(choice)));
        out.write(("data: " + chunk + "\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static void reply(HttpExchange exchange, int status, Object body) throws IOException {
        byte[] bytes = JSON.writeValueAsBytes(body);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }
}
