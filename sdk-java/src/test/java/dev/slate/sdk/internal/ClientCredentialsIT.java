package dev.slate.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.slate.testing.FakePlatform;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class ClientCredentialsIT {

    private static final Failures FAILURES =
            failure -> new IllegalStateException(failure.kind() + " " + failure.message());

    @Test
    void exchangesThemForAToken() {
        try (var platform = FakePlatform.start()) {
            assertThat(credentials(platform, FakePlatform.CLIENT_SECRET).token())
                    .isEqualTo(FakePlatform.TOKEN);
        }
    }

    @Test
    void reportsAWrongSecretWithoutShowingIt() {
        try (var platform = FakePlatform.start()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(credentials(platform, "wrong-one")::token)
                    .withMessageStartingWith("UNAUTHENTICATED sign-in with client id client refused")
                    .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("wrong-one"));
        }
    }

    private static ClientCredentials credentials(FakePlatform platform, String secret) {
        return new ClientCredentials(
                Endpoint.parse(platform.endpoint()), FakePlatform.CLIENT_ID, secret, Clock.systemUTC(), FAILURES);
    }
}
