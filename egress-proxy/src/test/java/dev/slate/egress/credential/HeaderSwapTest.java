package dev.slate.egress.credential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.secret.SecretValue;
import dev.slate.egress.host.HostName;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderSwapTest {

    private static final String FIRST = "__slate-secret-" + "a".repeat(32);
    private static final String SECOND = "__slate-secret-" + "b".repeat(32);
    private static final HostName HOST = HostName.parse("api.example.com");
    private final HeaderSwap swap = new HeaderSwap(
            List.of(credential("KEY", FIRST, "sk-1 " + SECOND), credential("TWO", SECOND, "sk-2")), HOST);

    @Test
    void replacesAPlaceholderInAHeader() {
        assertThat(swap.swap("X-Api-Key", SECOND)).isEqualTo("sk-2");
        assertThat(swap.used()).containsExactly("TWO");
    }

    @Test
    void looksAtAValueOnceFromLeftToRight() {
        assertThat(swap.swap("Cookie", "a=" + FIRST + SECOND + SECOND)).isEqualTo("a=sk-1 " + SECOND + "sk-2sk-2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic ", "basic ", "BASIC  "})
    void replacesInsideBasicAuthentication(String scheme) {
        var sent = scheme + base64("user:" + SECOND);

        assertThat(swap.swap("Authorization", sent)).isEqualTo(scheme + base64("user:sk-2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "Content-Length",
                "Transfer-Encoding",
                "Connection",
                "Upgrade",
                "TE",
                "Trailer",
                "Expect",
                "Via",
                "Forwarded",
                "X-Forwarded-For",
                "Referer",
                "User-Agent",
                "Proxy-Authorization"
            })
    void neverTouchesHeadersThatSteerOrAreEchoed(String header) {
        assertThat(swap.swap(header, SECOND)).isEqualTo(SECOND);
        assertThat(swap.used()).isEmpty();
    }

    @Test
    void leavesOtherPlaceholdersAndOtherTokensAlone() {
        var foreign = "Bearer __slate-secret-" + "c".repeat(32);

        assertThat(swap.swap("Authorization", foreign)).isEqualTo(foreign);
        assertThat(swap.swap("Authorization", "Bearer sk-own")).isEqualTo("Bearer sk-own");
    }

    @Test
    void noticesAPlaceholderForAnotherHost() {
        var other = new HeaderSwap(List.of(credential("KEY", FIRST, "value")), HostName.parse("www.example.com"));

        assertThat(other.swap("X-Key", FIRST)).isEqualTo(FIRST);
        assertThat(other.misdirected()).containsExactly("KEY");
    }

    @Test
    void noticesASecretThatIsGone() {
        var gone = new HeaderSwap(
                List.of(new Credential("KEY", new Placeholder(FIRST), Set.of(HOST), Optional.empty())), HOST);

        assertThat(gone.swap("X-Key", FIRST)).isEqualTo(FIRST);
        assertThat(gone.unavailable()).containsExactly("KEY");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\r\nb", "a\nb", "a\u0000", "ä"})
    void refusesValuesThatNoHeaderCanCarry(String value) {
        assertThatThrownBy(() -> credential("KEY", FIRST, value)).hasMessageContaining("KEY");
    }

    @Test
    void printsNoSecret() {
        assertThat(credential("KEY", FIRST, "sk-hidden").toString()).doesNotContain("sk-hidden");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static Credential credential(String name, String placeholder, String value) {
        return new Credential(name, new Placeholder(placeholder), Set.of(HOST), Optional.of(SecretValue.of(value)));
    }
}
