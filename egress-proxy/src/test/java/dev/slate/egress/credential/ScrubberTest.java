package dev.slate.egress.credential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.host.HostName;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrubberTest {

    private static final String SECRET = "sk-live-0123456789abcdef";
    private static final String PLACEHOLDER = "__slate-secret-" + "a".repeat(32);
    private static final List<Credential> CREDENTIALS = List.of(new Credential(
            "KEY",
            new Placeholder(PLACEHOLDER),
            Set.of(HostName.parse("api.example.com")),
            Optional.of(SecretValue.of(SECRET))));

    @Test
    void findsTheSecretWhereverItIsSplit() {
        var text = ("x sk-live-sk-live- " + SECRET + " y " + SECRET).getBytes(UTF_8);
        for (var split = 0; split <= text.length; split++) {
            var out = new ByteArrayOutputStream();
            var scrubber = Scrubber.of(CREDENTIALS);
            out.writeBytes(scrubber.feed(Arrays.copyOfRange(text, 0, split)));
            out.writeBytes(scrubber.feed(Arrays.copyOfRange(text, split, text.length)));
            out.writeBytes(scrubber.finish());

            assertThat(out.toString(UTF_8)).isEqualTo("x sk-live-sk-live- " + PLACEHOLDER + " y " + PLACEHOLDER);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "u:", "us:", "user:", "x-access-token:"})
    void findsItsBase64FormsAtEveryAlignment(String before) {
        var encoded = Base64.getEncoder().encodeToString((before + SECRET + ":tail").getBytes(UTF_8));

        var scrubbed = Scrubber.scrub(CREDENTIALS, "Basic " + encoded);

        assertThat(scrubbed).contains(PLACEHOLDER);
        // What is left is what stands around the secret, and at most two characters of each of its ends.
        assertThat(scrubbed.replace(PLACEHOLDER, "").length())
                .isLessThanOrEqualTo("Basic ".length() + (before.length() + ":tail".length()) * 4 / 3 + 8);
    }

    @Test
    void holdsNothingBackThatCannotBecomeTheSecret() {
        var scrubber = Scrubber.of(CREDENTIALS);

        assertThat(new String(scrubber.feed("data: hello\n\n".getBytes(UTF_8)), UTF_8))
                .isEqualTo("data: hello\n\n");
    }

    @Test
    void keepsTheLengthWhereOffsetsMatter() {
        var scrubber = Scrubber.keepingLength(CREDENTIALS);

        var out = new String(scrubber.feed(("a" + SECRET + "b").getBytes(UTF_8)), UTF_8);

        assertThat(out)
                .hasSize(SECRET.length() + 2)
                .doesNotContain(SECRET)
                .startsWith("a__slate")
                .endsWith("b");
    }
}
