package dev.slate.controlplane.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.slate.common.auth.Caller;
import dev.slate.common.auth.Permission;
import dev.slate.common.auth.TokenKeys;
import dev.slate.common.auth.Tokens;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.grpc.PageRequest;
import dev.slate.common.id.IdSource;
import dev.slate.common.secret.SecretValue;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.jwt.auth.principal.DefaultJWTParser;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityTest {
    private static final IdentityConfig CONFIG = new IdentityConfig() {
        @Override
        public Duration accessTokenLifetime() {
            return Duration.ofMinutes(15);
        }

        @Override
        public Duration ownerTokenLifetime() {
            return Duration.ofHours(24);
        }

        @Override
        public Duration ownerTokenRenewal() {
            return Duration.ofHours(4);
        }
    };

    @TempDir
    Path home;

    private final FakeServiceTokenStore store = new FakeServiceTokenStore();
    private final RevokedTokens revoked = new RevokedTokens(store);
    private final Environments environments =
            new Environments(new FakeEnvironmentStore(), new IdSource(), Clock.systemUTC());
    private Tokens tokens;
    private ServiceTokens serviceTokens;
    private TokenResource resource;
    private Caller owner;

    @BeforeEach
    void setUp() {
        tokens = new Tokens(new TokenKeys(home), new DefaultJWTParser(), Clock.systemUTC());
        serviceTokens = new ServiceTokens(store, revoked, new IdSource(), Clock.systemUTC(), () -> home);
        resource = new TokenResource(serviceTokens, tokens, CONFIG);
        owner = new Caller("owner", "owner", "Owner", environments.defaultId(), EnumSet.allOf(Permission.class));
        revoked.load(new StartupEvent());
    }

    @Test
    void theOwnersTokenFileLogsInWithAllPermissionsAndIsForTheOwnerOnly() throws Exception {
        new OwnerLogin(tokens, environments, CONFIG, () -> home).write();

        Path file = home.resolve("owner-token");
        assertThat(tokens.verify(Files.readString(file).strip())).isEqualTo(owner);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aServiceTokenIsExchangedForATokenWithItsPermissions() {
        ServiceTokens.Created created = serviceTokens.create(owner, "ci", Set.of(Permission.DEPLOY_READ));

        Response form = resource.exchange(
                null,
                "client_credentials",
                created.token().clientId(),
                created.secret().revealText());
        Response basic = resource.exchange(
                basic(created.token().clientId(), created.secret().revealText()), "client_credentials", null, null);

        assertThat(created.token().clientId()).matches("sc-[0-9a-f]{32}");
        assertThat(accessToken(form).permissions()).containsExactly(Permission.DEPLOY_READ);
        assertThat(accessToken(form).subject()).isEqualTo(created.token().clientId());
        assertThat(accessToken(basic)).isEqualTo(accessToken(form));
        assertThat(form.getHeaderString("cache-control")).isEqualTo("no-store");
    }

    @Test
    void theSecretIsShownOnceAndStoredAsAHash() {
        ServiceTokens.Created created = serviceTokens.create(owner, "ci", Set.of(Permission.DEPLOY_READ));

        assertThat(created.toString()).doesNotContain(created.secret().revealText());
        assertThat(store.find(created.token().clientId()).toString())
                .doesNotContain(created.secret().revealText());
    }

    @ParameterizedTest
    @CsvSource({"sc-unknown,right", "known,wrong", "known,''"})
    void wrongCredentialsAreRefusedAlike(String clientId, String secret) {
        ServiceTokens.Created created = serviceTokens.create(owner, "ci", Set.of(Permission.DEPLOY_READ));
        String id = clientId.equals("known") ? created.token().clientId() : clientId;
        String presented = secret.equals("right") ? created.secret().revealText() : secret;

        Response response = resource.exchange(null, "client_credentials", id, presented);

        assertThat(response.getStatus()).isEqualTo(401);
        assertThat(response.getEntity())
                .isEqualTo(new TokenResource.Refused(
                        "invalid_client", "the client id or the client secret is wrong, or it is revoked"));
    }

    @ParameterizedTest
    @CsvSource({"Bearer abc", "Basic ***", "Basic bm9jb2xvbg=="})
    void malformedAuthorizationIsRefused(String authorization) {
        assertThat(resource.exchange(authorization, "client_credentials", "a", "b")
                        .getStatus())
                .isEqualTo(401);
    }

    @Test
    void anotherGrantTypeIsRefused() {
        assertThat(resource.exchange(null, "password", "a", "b").getStatus()).isEqualTo(400);
    }

    @Test
    void revokingRefusesTheSecretAndTheTokensMadeFromIt() {
        ServiceTokens.Created created = serviceTokens.create(owner, "ci", Set.of(Permission.DEPLOY_READ));
        Caller program = serviceTokens.login(created.token().clientId(), created.secret());
        revoked.check(program);

        serviceTokens.revoke(owner, created.token().clientId());
        serviceTokens.revoke(owner, created.token().clientId());

        assertThatThrownBy(() -> revoked.check(program)).hasMessageContaining("is revoked");
        assertThatThrownBy(() -> serviceTokens.login(created.token().clientId(), created.secret()))
                .isInstanceOf(PlatformException.class);
        assertThat(serviceTokens.list(owner, PageRequest.of(0, "")).entries())
                .singleElement()
                .satisfies(token -> assertThat(token.revoked()).isTrue());
    }

    @Test
    void revocationsOutliveARestart() {
        ServiceTokens.Created created = serviceTokens.create(owner, "ci", Set.of(Permission.DEPLOY_READ));
        Caller program = serviceTokens.login(created.token().clientId(), created.secret());
        serviceTokens.revoke(owner, created.token().clientId());
        RevokedTokens restarted = new RevokedTokens(store);

        assertThat(codeOf(() -> restarted.check(program))).isEqualTo(ErrorCode.UNAVAILABLE);
        restarted.load(new StartupEvent());

        assertThat(codeOf(() -> restarted.check(program))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void nobodyMakesATokenThatMayDoMoreThanTheyMay() {
        Caller limited = new Caller(
                "ada", "ada", "Admin", owner.environment(), Set.of(Permission.IDENTITY_WRITE, Permission.DEPLOY_READ));

        assertThat(codeOf(() -> serviceTokens.create(limited, "", Set.of(Permission.SECRETS_DECRYPT))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(codeOf(() -> serviceTokens.create(owner, "", Set.of()))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void tokensNeedThePermissionAndTheRightEnvironment() {
        ServiceTokens.Created created = serviceTokens.create(owner, "ci", Set.of(Permission.DEPLOY_READ));
        Caller other = new Caller("owner", "owner", "Owner", "another environment", EnumSet.allOf(Permission.class));
        Caller weak = new Caller(
                "w",
                "w",
                "Developer",
                owner.environment(),
                EnumSet.complementOf(EnumSet.of(Permission.IDENTITY_WRITE)));

        assertThat(codeOf(() -> serviceTokens.revoke(other, created.token().clientId())))
                .isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(codeOf(() -> serviceTokens.create(weak, "", Set.of(Permission.DEPLOY_READ))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(codeOf(() -> serviceTokens.list(weak, PageRequest.of(0, ""))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(codeOf(() -> serviceTokens.revoke(weak, created.token().clientId())))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    private Caller accessToken(Response response) {
        return tokens.verify(((TokenResource.Issued) response.getEntity()).accessToken());
    }

    private static String basic(String clientId, String secret) {
        byte[] pair = (clientId + ":" + secret).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private static ErrorCode codeOf(Runnable action) {
        try {
            action.run();
        } catch (PlatformException failure) {
            return failure.code();
        }
        throw new AssertionError("nothing was refused");
    }

    @Test
    void theSecretValueOfALoginIsNotPrinted() {
        assertThat(ClientCredentials.of(null, "sc-1", "s3cret").toString())
                .contains("sc-1")
                .doesNotContain("s3cret");
        assertThat(ClientCredentials.of(basic("sc-1", "a:b"), null, null).clientSecret())
                .isEqualTo(SecretValue.of("a:b"));
    }
}
