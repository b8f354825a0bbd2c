package dev.slate.controlplane.router;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What a chat completion says about its end and its cost; it reads a copy and keeps no content. Confined to one thread. */
final class ChatEvents {
    private static final ObjectMapper JSON = new ObjectMapper();

    private boolean done;
    private boolean finished;
    private long promptTokens = -1;
    private long completionTokens = -1;

    /** Looks at one frame of a stream. */
    void frame(byte[] frame) {
        String text = new String(frame, StandardCharsets.UTF_8);
        boolean telling = text.contains("finish_reason") || text.contains("usage") || text.contains("[DONE]");
        if (!telling) {
            return;
        }
        StringBuilder data = new StringBuilder();
        text.lines().filter(line -> line.startsWith("data:")).forEach(line -> data.append(line.substring(5)));
        String payload = data.toString().strip();
        if (payload.equals("[DONE]")) {
            done = true;
        } else {
            json(payload.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Looks at a whole answer, or at the data of a frame. */
    void json(byte[] payload) {
        JsonNode answer;
        try {
            answer = JSON.readTree(payload);
        } catch (IOException _) {
            // Not for us to judge: the client gets the bytes as they are.
            return;
        }
        for (JsonNode choice : answer.path("choices")) {
            finished |= choice.path("finish_reason").isTextual();
        }
        JsonNode usage = answer.path("usage");
        if (usage.isObject()) {
            promptTokens = usage.path("prompt_tokens").asLong(-1);
            completionTokens = usage.path("completion_tokens").asLong(-1);
        }
    }

    /** The end mark came. */
    boolean done() {
        return done;
    }

    /** The model came to its end, so nothing of the answer is missing. */
    boolean finished() {
        return finished;
    }

    /** Tokens of the question, or -1 if not told. */
    long promptTokens() {
        return promptTokens;
    }

    /** Tokens of the answer, or -1 if not told. */
    long completionTokens() {
        return completionTokens;
    }
}
