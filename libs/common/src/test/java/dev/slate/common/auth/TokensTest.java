package dev.slate.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.error.PlatformException;
import io.smallrye.jwt.auth.principal.DefaultJWTParser;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
    private static final Caller CALLER = new Caller("s", "name", "Owner", "e", Set.of(Permission.DEPLOY_READ));

    @TempDir
    Path home;

    private final AtomicReference<Duration> later = new AtomicReference<>(Duration.ZERO);
    private final InstantSource now = () -> Instant.now().plus(later.get());

    @Test
    void aTokenThatWasAcceptedIsRefusedOnceItHasExpired() {
        Tokens tokens = tokens();
        String token = tokens.sign(CALLER, Duration.ofHours(1));

        assertThat(tokens.verify(token)).isEqualTo(CALLER);
        later.set(Duration.ofMinutes(59));
        assertThat(tokens.verify(token)).isEqualTo(CALLER);
        later.set(Duration.ofMinutes(61));
        assertRefused(tokens, token);
    }

    @Test
    void everyOtherTokenIsCheckedAnew() {
        Tokens tokens = tokens();
        String token = tokens.sign(CALLER, Duration.ofHours(1));
        assertThat(tokens.verify(token)).isEqualTo(CALLER);
        int signature = token.lastIndexOf('.') + 1;
        char first = token.charAt(signature);

        assertRefused(
                tokens, token.substring(0, signature) + (first == 'A' ? 'B' : 'A') + token.substring(signature + 1));
        assertRefused(tokens, token.substring(0, signature));
        assertRefused(tokens, "");
    }

    private Tokens tokens() {
        return new Tokens(new TokenKeys(home), new DefaultJWTParser(), now.withZone(ZoneOffset.UTC));
    }

    private static void assertRefused(Tokens tokens, String token) {
        assertThatThrownBy(() -> tokens.verify(token))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("log in again");
    }
}
