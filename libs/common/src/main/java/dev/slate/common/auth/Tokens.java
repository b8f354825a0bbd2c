package dev.slate.common.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import io.smallrye.jwt.algorithm.SignatureAlgorithm;
import io.smallrye.jwt.auth.principal.JWTAuthContextInfo;
import io.smallrye.jwt.auth.principal.JWTParser;
import io.smallrye.jwt.auth.principal.ParseException;
import io.smallrye.jwt.build.Jwt;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;

/** Signs and checks the bearer tokens of this install: JWTs (RFC 7519) with ES256. Thread-safe. */
@Singleton
public class Tokens {
    /** The issuer claim of all tokens. */
    public static final String ISSUER = "slate";

    private static final String PERMISSIONS = "permissions";
    private static final String ENVIRONMENT = "environment";
    private static final String NAME = "name";
    private static final String ROLE = "role";
    private static final int MOST_REMEMBERED = 1000;

    private final TokenKeys keys;
    private final JWTParser parser;
    private final Clock clock;

    /** Checking a signature costs about a millisecond of processor time, and clients send the same token each time. */
    private final Cache<String, Verified> remembered =
            Caffeine.newBuilder().maximumSize(MOST_REMEMBERED).build();

    public Tokens(TokenKeys keys, JWTParser parser, Clock clock) {
        this.keys = keys;
        this.parser = parser;
        this.clock = clock;
    }

    /** A token that speaks for the caller until the lifetime is over. */
    public String sign(Caller caller, Duration lifetime) {
        Instant now = clock.instant();
        List<String> permissions =
                caller.permissions().stream().map(Permission::wireName).sorted().toList();
        return Jwt.claims()
                .issuer(ISSUER)
                .subject(caller.subject())
                .claim(NAME, caller.displayName())
                .claim(ROLE, caller.role())
                .claim(ENVIRONMENT, caller.environment())
                .claim(PERMISSIONS, permissions)
                .issuedAt(now)
                .expiresAt(now.plus(lifetime))
                .jws()
                .algorithm(SignatureAlgorithm.ES256)
                .sign(keys.signingKey());
    }

    /** The caller of a token; anything but a token of ours that is still valid is refused. */
    public Caller verify(String token) {
        Verified verified = remembered.get(token, this::check);
        if (!clock.instant().isBefore(verified.expiresAt())) {
            throw refusal(null);
        }
        return verified.caller();
    }

    private Verified check(String token) {
        JWTAuthContextInfo expected = new JWTAuthContextInfo(keys.verificationKey(), ISSUER);
        expected.setSignatureAlgorithm(Set.of(SignatureAlgorithm.ES256));
        try {
            JsonWebToken verified = parser.parse(token, expected);
            Caller caller = new Caller(
                    text(verified, "sub"),
                    text(verified, NAME),
                    text(verified, ROLE),
                    text(verified, ENVIRONMENT),
                    permissions(verified));
            return new Verified(caller, Instant.ofEpochSecond(verified.getExpirationTime()));
        } catch (ParseException | RuntimeException refused) {
            throw refusal(refused);
        }
    }

    private static PlatformException refusal(@Nullable Throwable cause) {
        return new PlatformException(
                ErrorCode.UNAUTHENTICATED, "the token is not valid or has expired: log in again", cause);
    }

    private static String text(JsonWebToken token, String claim) {
        Object value = token.getClaim(claim);
        if (value == null) {
            throw new IllegalArgumentException("claim " + claim + " is missing");
        }
        return value instanceof jakarta.json.JsonString json ? json.getString() : value.toString();
    }

    private static Set<Permission> permissions(JsonWebToken token) {
        Object claim = token.getClaim(PERMISSIONS);
        if (!(claim instanceof Collection<?> names)) {
            throw new IllegalArgumentException("claim permissions is missing");
        }
        EnumSet<Permission> permissions = EnumSet.noneOf(Permission.class);
        for (Object name : names) {
            permissions.add(Permission.named(
                    name instanceof jakarta.json.JsonString json ? json.getString() : String.valueOf(name)));
        }
        return permissions;
    }

    private record Verified(Caller caller, Instant expiresAt) {}
}
