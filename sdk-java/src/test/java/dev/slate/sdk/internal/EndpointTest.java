package dev.slate.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

    @Test
    void ignoresAClosingSlash() {
        assertThat(Endpoint.parse("https://slate.example.com/")).isEqualTo(Endpoint.parse("https://slate.example.com"));
    }

    @Test
    void knowsThePortOfEachScheme() {
        assertThat(Endpoint.parse("https://a").port()).isEqualTo(443);
        assertThat(Endpoint.parse("http://a").port()).isEqualTo(80);
        assertThat(Endpoint.parse("http://a:7080").port()).isEqualTo(7080);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "slate.example.com", "ftp://a", "http://a/path", "http://a?b", "http://a b"})
    void refusesWhatIsNoEndpoint(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Endpoint.parse(text))
                .withMessage("endpoint: " + text + " (expected: http(s)://host[:port])");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1:1", "http://localhost", "http://[::1]:1"})
    void knowsThisMachine(String text) {
        assertThat(Endpoint.parse(text).loopback()).isTrue();
    }
}
