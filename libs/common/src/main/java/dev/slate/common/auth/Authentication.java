package dev.slate.common.auth;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Turns the authorization of a request into its caller, for all protocols alike. Thread-safe; never blocks. */
@Singleton
public class Authentication {
    private static final String BEARER = "Bearer ";

    private final Tokens tokens;
    private final Instance<CallerCheck> checks;

    Authentication(Tokens tokens, @Any Instance<CallerCheck> checks) {
        this.tokens = tokens;
        this.checks = checks;
    }

    /** The caller of an {@code Authorization} header; {@code environment} is the one asked for, or null for the token's. */
    public Caller authenticate(@Nullable String authorization, @Nullable String environment) {
        if (authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw new PlatformException(
                    ErrorCode.UNAUTHENTICATED, "no token: log in with `slate login`, or set SLATE_TOKEN");
        }
        Caller caller = tokens.verify(authorization.substring(BEARER.length()).strip());
        checks.forEach(check -> check.check(caller));
        if (environment != null && !environment.isEmpty() && !environment.equals(caller.environment())) {
            throw PlatformException.notFound("environment", environment);
        }
        return caller;
    }
}
