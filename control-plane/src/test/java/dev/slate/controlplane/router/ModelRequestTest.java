package dev.slate.controlplane.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelRequestTest {
    @Test
    void replacesTheModelAndNothingElse() {
        String body = """
                { "temperature" : 1.0, "nested":{"model":"inner"}, "big":12345678901234567890123, "e":1e-7,
                  "model" : "openai/gpt-ü" , "text":"\\u00e9 ü 😀", "unknown_member":[null,{"model":1}]}
                """;

        ModelRequest request = parse(body);

        assertThat(request.model()).isEqualTo("openai/gpt-ü");
        assertThat(new String(request.withModel("gpt-\"ü\""), StandardCharsets.UTF_8))
                .isEqualTo(body.replace("\"openai/gpt-ü\"", "\"gpt-\\\"ü\\\"\""));
    }

    @Test
    void keepsTheBodyWhenTheNameStays() {
        byte[] body = "{\"model\":\"m\",\"n\":1.50}".getBytes(StandardCharsets.UTF_8);

        assertThat(ModelRequest.parse(body).withModel("m")).isSameAs(body);
    }

    @Test
    void readsEscapedNames() {
        ModelRequest request = parse("{\"\\u006dodel\":\"a\\/b\"}");

        assertThat(request.model()).isEqualTo("a/b");
        assertThat(new String(request.withModel("b"), StandardCharsets.UTF_8)).isEqualTo("{\"\\u006dodel\":\"b\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"model\":1}",
                "{\"model\":\"\"}",
                "{\"model\":\"a\\nb\"}",
                "{\"model\":\"a\",\"model\":\"b\"}",
                "{\"model\":\"a\"} {}",
                "{\"model\":\"a\"",
                "{\"model\":\"a\",}",
                "secret words"
            })
    void refusesWhatIsNoRequestAndQuotesNothingOfIt(String body) {
        assertThatThrownBy(() -> parse(body))
                .isInstanceOf(GatewayException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void refusesOtherEncodings() {
        byte[] body = "{\"model\":\"a\"}".getBytes(StandardCharsets.UTF_16BE);

        assertThatThrownBy(() -> ModelRequest.parse(body)).isInstanceOf(GatewayException.class);
    }

    private static ModelRequest parse(String body) {
        return ModelRequest.parse(body.getBytes(StandardCharsets.UTF_8));
    }
}
