package dev.slate.cli.common;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.slate.sdk.ExecEnd;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.SecretValue;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Values of the library as JSON: absent parts are null, times in ISO 8601, secrets in clear. */
final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .registerModule(new SimpleModule()
                    .addSerializer(Instant.class, ToStringSerializer.instance)
                    .addSerializer(Duration.class, ToStringSerializer.instance)
                    .addSerializer(new OptionalSerializer())
                    .addSerializer(SecretValue.class, as(SecretValue::reveal))
                    .addSerializer(ExecEnd.class, as(Json::end))
                    .addSerializer(NetworkPolicy.class, as(Json::policy)));

    private Json() {}

    static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON form: " + value.getClass(), e);
        }
    }

    private static Object end(ExecEnd end) {
        return switch (end) {
            case ExecEnd.Exited(var code) -> Map.of("how", "exited", "code", code);
            case ExecEnd.Signaled(var signal) -> Map.of("how", "signaled", "signal", signal);
            case ExecEnd.TimedOut _ -> Map.of("how", "timed-out");
            case ExecEnd.NotStarted(var code, var message) ->
                Map.of("how", "not-started", "code", code, "message", message);
            case ExecEnd.Lost(var message) -> Map.of("how", "lost", "message", message);
        };
    }

    /** The form that {@code --policy FILE} takes. */
    private static Object policy(NetworkPolicy policy) {
        try {
            return new ObjectMapper().readTree(policy.toJson());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON form of a policy", e);
        }
    }

    private static <T> JsonSerializer<T> as(Function<T, ?> form) {
        return new JsonSerializer<>() {
            @Override
            public void serialize(T value, JsonGenerator out, SerializerProvider serializers) throws IOException {
                out.writeObject(form.apply(value));
            }
        };
    }

    private static final class OptionalSerializer extends StdSerializer<Optional<?>> {

        OptionalSerializer() {
            super(Optional.class, false);
        }

        @Override
        public void serialize(Optional<?> value, JsonGenerator out, SerializerProvider serializers) throws IOException {
            out.writeObject(value.isPresent() ? value.get() : null);
        }
    }
}
