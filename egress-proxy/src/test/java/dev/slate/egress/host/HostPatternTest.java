package dev.slate.egress.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class HostPatternTest {

    @ParameterizedTest
    @CsvSource({
        "Example.COM., example.com",
        "*.Example.com, *.example.com",
        "example.com:8443, example.com:8443",
        "93.184.215.14, 93.184.215.14",
        "*.example.co.uk:22, *.example.co.uk:22",
        "bücher.example, xn--bcher-kva.example",
    })
    void keepsTheCanonicalForm(String text, String canonical) {
        assertThat(HostPattern.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*                           | a name; leave the policy out to allow everything",
                "https://example.com         | a host without a scheme",
                "example.com/path            | a host without a path or prefix length",
                "10.0.0.0/8                  | a host without a path or prefix length",
                "user@example.com            | a host without user information",
                "*.com                       | anybody can register below com",
                "*.co.uk                     | anybody can register below co.uk",
                "*.github.io                 | anybody can register below github.io",
                "**.example.com              | only as the whole first label",
                "a.*.example.com             | only as the whole first label",
                "ex*mple.com                 | only as the whole first label",
                "*example.com                | only as the whole first label",
                "example..com                | labels of 1 to 63 characters",
                ".example.com                | labels of 1 to 63 characters",
                "example.com..               | labels of 1 to 63 characters",
                "*..example.com              | labels of 1 to 63 characters",
                "-a.example.com              | labels of 1 to 63 characters",
                "127.1                       | an IPv4 address as four decimal numbers",
                "2130706433                  | an IPv4 address as four decimal numbers",
                "0x7f.1                      | an IPv4 address as four decimal numbers",
                "0x7f000001                  | an IPv4 address as four decimal numbers",
                "010.0.0.1                   | an IPv4 address as four decimal numbers",
                "1.2.3.4.5                   | an IPv4 address as four decimal numbers",
                "256.1.1.1                   | an IPv4 address as four decimal numbers",
                "*.1.2.3.4                   | a wildcard below a name",
                "[::1]                       | IPv6 is not reachable",
                "::1                         | IPv6 is not reachable",
                "example.com:443:80          | IPv6 is not reachable",
                "example.com:0               | a port from 1 to 65535",
                "example.com:65536           | a port from 1 to 65535",
                "example.com:                | a port from 1 to 65535",
                "example.com:443-444         | a port from 1 to 65535",
                "a b.com                     | only letters, digits",
                "exam%70le.com               | only letters, digits",
                "straße.example              | its xn-- form, because this spelling is ambiguous",
            })
    void refusesEverythingElseAndSaysWhatIsExpected(String text, String expected) {
        assertThatThrownBy(() -> HostPattern.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("allowed host: ")
                .hasMessageContaining("(expected: ")
                .hasMessageContaining(expected);
    }

    @ParameterizedTest
    @MethodSource
    void refusesWhatIsEmptyTooLongOrHasControlCharacters(String text) {
        assertThatThrownBy(() -> HostPattern.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(expected: ");
    }

    static Stream<String> refusesWhatIsEmptyTooLongOrHasControlCharacters() {
        return Stream.of(
                "",
                "example.com\u0000.evil.test",
                "example.com\r\nHost",
                "a".repeat(64) + ".example",
                "a.".repeat(125) + "example");
    }
}
