package dev.slate.egress.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPatternTest {

    @ParameterizedTest
    @CsvSource({
        "Example.COM., example.com",
        "*.Example.com, *.example.com",
        "example.com:8443, example.com:8443",
        "203.0.113.7, 203.0.113.7",
        "bücher.example, xn--bcher-kva.example",
    })
    void keepsTheCanonicalForm(String text, String canonical) {
        assertThat(HostPattern.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "*.com",
                "**.example.com",
                "a.*.example.com",
                "ex*mple.com",
                "https://example.com",
                "example.com/path",
                "user@example.com",
                "example..com",
                ".example.com",
                "example.com..",
                "127.1",
                "2130706433",
                "0x7f.1",
                "010.0.0.1",
                "[::1]",
                "::1",
                "example.com:0",
                "example.com:65536",
                "a b.com",
                "example.com:",
                "-a.example.com",
                "straße.example",
                "exam%70le.com",
                "example.com\u0000.evil.test"
            })
    void refusesEverythingElse(String text) {
        assertThatThrownBy(() -> HostPattern.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected");
    }
}
