package dev.slate.controlplane.identity;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slate.common.auth.Tokens;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** Exchanges a service token for a short-lived access token: the client credentials grant of OAuth 2 (RFC 6749). */
@Path("/v1/auth/token")
@RunOnVirtualThread
public class TokenResource {
    private final ServiceTokens serviceTokens;
    private final Tokens tokens;
    private final IdentityConfig config;

    TokenResource(ServiceTokens serviceTokens, Tokens tokens, IdentityConfig config) {
        this.serviceTokens = serviceTokens;
        this.tokens = tokens;
        this.config = config;
    }

    /** The credentials come in an {@code Authorization: Basic} header or in the form. */
    @POST
    @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
    @Produces(MediaType.APPLICATION_JSON)
    public Response exchange(
            @HeaderParam(HttpHeaders.AUTHORIZATION) @Nullable String authorization,
            @FormParam("grant_type") @Nullable String grantType,
            @FormParam("client_id") @Nullable String clientId,
            @FormParam("client_secret") @Nullable String clientSecret) {
        try {
            if (!"client_credentials".equals(grantType)) {
                throw PlatformException.invalid("grant_type", grantType, "client_credentials");
            }
            ClientCredentials credentials = ClientCredentials.of(authorization, clientId, clientSecret);
            String token = tokens.sign(
                    serviceTokens.login(credentials.clientId(), credentials.clientSecret()),
                    config.accessTokenLifetime());
            return answer(Response.ok(
                    new Issued(token, "Bearer", config.accessTokenLifetime().toSeconds())));
        } catch (PlatformException refused) {
            return answer(Response.status(refused.code().kind().httpStatus())
                    .entity(new Refused(oauthCode(refused.code()), String.valueOf(refused.getMessage()))));
        }
    }

    private static Response answer(Response.ResponseBuilder response) {
        return response.header(HttpHeaders.CACHE_CONTROL, "no-store").build();
    }

    private static String oauthCode(ErrorCode code) {
        return code == ErrorCode.UNAUTHENTICATED ? "invalid_client" : "invalid_request";
    }

    /** An access token as RFC 6749 section 5.1 writes it. */
    public record Issued(
            @JsonProperty("access_token") String accessToken,
            @JsonProperty("token_type") String tokenType,
            @JsonProperty("expires_in") long expiresIn) {}

    /** A refusal as RFC 6749 section 5.2 writes it. */
    public record Refused(
            @JsonProperty("error") String error,
            @JsonProperty("error_description") String description) {}
}
