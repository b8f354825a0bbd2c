package dev.slate.controlplane.router;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A request body, of which only the model's name is read and replaced: all other bytes stay as they came, so members we
 * do not know and the form of numbers survive.
 */
final class ModelRequest {
    private static final int MAX_MODEL_LENGTH = 200;
    // The body itself is bounded before it is parsed.
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(10_000)
                    .build())
            .build();

    private final byte[] body;
    private final String model;
    private final int modelStart;
    private final int modelEnd;

    private ModelRequest(byte[] body, String model, int modelStart, int modelEnd) {
        this.body = body;
        this.model = model;
        this.modelStart = modelStart;
        this.modelEnd = modelEnd;
    }

    /** Finds the model in a JSON object; a body that readers could understand in two ways is refused. */
    static ModelRequest parse(byte[] body) {
        try (JsonParser parser = JSON.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw GatewayException.badRequest(null, "the body is not a JSON object");
            }
            ModelRequest found = null;
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean isModel = parser.currentName().equals("model");
                JsonToken value = parser.nextToken();
                if (isModel) {
                    if (found != null) {
                        throw GatewayException.badRequest("model", "model: given twice (expected: once)");
                    }
                    found = model(body, parser, value);
                }
                parser.skipChildren();
            }
            if (parser.nextToken() != null) {
                throw GatewayException.badRequest(null, "the body goes on after the JSON object");
            }
            if (found == null) {
                throw GatewayException.badRequest("model", "model: missing (expected: a name from /v1/router/models)");
            }
            return found;
        } catch (IOException malformed) {
            // The message of the parser quotes the body.
            throw GatewayException.badRequest(null, "the body is not valid JSON");
        }
    }

    /** The model as the client names it. */
    String model() {
        return model;
    }

    /** The body with another name in the place of the model's. */
    byte[] withModel(String name) {
        if (name.equals(model)) {
            return body;
        }
        byte[] quoted = ('"' + new String(JsonStringEncoder.getInstance().quoteAsString(name)) + '"')
                .getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(modelStart + quoted.length + body.length - modelEnd)
                .put(body, 0, modelStart)
                .put(quoted)
                .put(body, modelEnd, body.length - modelEnd)
                .array();
    }

    private static ModelRequest model(byte[] body, JsonParser parser, JsonToken value) throws IOException {
        int start = (int) parser.currentTokenLocation().getByteOffset();
        String name = value == JsonToken.VALUE_STRING ? parser.getText() : "";
        if (name.isBlank() || name.length() > MAX_MODEL_LENGTH || !name.chars().allMatch(c -> c >= 0x20 && c != 0x7f)) {
            throw GatewayException.badRequest(
                    "model", "model: not a name (expected: text of 1 to %d characters)".formatted(MAX_MODEL_LENGTH));
        }
        int end = (int) parser.currentLocation().getByteOffset();
        if (start < 0 || end > body.length || end - start < 2 || body[start] != '"' || body[end - 1] != '"') {
            throw GatewayException.badRequest(null, "the body is not UTF-8");
        }
        return new ModelRequest(body, name, start, end);
    }
}
