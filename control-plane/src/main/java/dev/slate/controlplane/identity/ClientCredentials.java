package dev.slate.controlplane.identity;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.secret.SecretValue;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A client id and its secret, as a program presents them. */
record ClientCredentials(String clientId, SecretValue clientSecret) {
    private static final String BASIC = "Basic ";

    /** Taken from an {@code Authorization: Basic} header, or without one from the members of the form. */
    static ClientCredentials of(
            @Nullable String authorization, @Nullable String clientId, @Nullable String clientSecret) {
        if (authorization != null) {
            return parse(authorization);
        }
        if (clientId == null || clientSecret == null) {
            throw refused("client_id and client_secret are missing (expected: in the form or as Basic authorization)");
        }
        return new ClientCredentials(clientId, SecretValue.of(clientSecret));
    }

    private static ClientCredentials parse(String authorization) {
        if (!authorization.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            throw refused("authorization of another kind (expected: Basic)");
        }
        String pair;
        try {
            byte[] decoded = Base64.getDecoder()
                    .decode(authorization.substring(BASIC.length()).strip());
            pair = new String(decoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw refused("the Basic authorization is not base64");
        }
        int colon = pair.indexOf(':');
        if (colon < 0) {
            throw refused("the Basic authorization has no colon");
        }
        return new ClientCredentials(pair.substring(0, colon), SecretValue.of(pair.substring(colon + 1)));
    }

    private static PlatformException refused(String message) {
        return new PlatformException(ErrorCode.UNAUTHENTICATED, message);
    }
}
