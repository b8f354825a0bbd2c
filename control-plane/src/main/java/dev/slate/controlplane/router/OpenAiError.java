package dev.slate.controlplane.router;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/** The error object that OpenAI clients understand. */
record OpenAiError(@JsonProperty("error") Detail error) {
    private static final ObjectMapper JSON = new ObjectMapper();

    byte[] json() {
        try {
            return JSON.writeValueAsBytes(this);
        } catch (JsonProcessingException failure) {
            throw new IllegalStateException("an error object is plain data", failure);
        }
    }

    record Detail(
            @JsonProperty("message") String message,
            @JsonProperty("type") String type,
            @JsonProperty("param") @Nullable String param,
            @JsonProperty("code") String code,
            @JsonProperty("request_id") String requestId) {}
}
