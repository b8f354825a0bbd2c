package dev.slate.sdk.internal;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.slate.sdk.internal.Failure.Kind;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Exchanges a client id and secret for short-lived tokens, and again before each expires. Guards itself. */
public final class ClientCredentials implements TokenSource {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Endpoint endpoint;
    private final String clientId;
    private final String clientSecret;
    private final Clock clock;
    private final Failures failures;
    private @Nullable Token current;

    private record Token(String value, Instant refreshAt) {}

    public ClientCredentials(Endpoint endpoint, String clientId, String clientSecret, Clock clock, Failures failures) {
        this.endpoint = endpoint;
        this.clientId = clientId;
        this.clientSecret = clientSecret;
        this.clock = clock;
        this.failures = failures;
    }

    @Override
    public synchronized String token() {
        var token = current;
        if (token == null || !clock.instant().isBefore(token.refreshAt())) {
            token = exchange();
            current = token;
        }
        return token.value();
    }

    private Token exchange() {
        var form = "grant_type=client_credentials&client_id=" + Http.encode(clientId) + "&client_secret="
                + Http.encode(clientSecret);
        var request = HttpRequest.newBuilder(endpoint.resolve("/v1/auth/token"))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))
                .build();
        try (var client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build()) {
            var reply = client.send(request, BodyHandlers.ofByteArray());
            if (reply.statusCode() != 200) {
                throw refused(reply.statusCode());
            }
            return parse(reply.body());
        } catch (IOException e) {
            throw failures.exception(new Failure(
                    Kind.UNAVAILABLE, "UNAVAILABLE", GrpcFailures.unreachable(endpoint, e.getMessage()), "", e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failures.exception(
                    new Failure(Kind.CANCELLED, "CANCELLED", "the calling thread was interrupted", "", e));
        }
    }

    private Token parse(byte[] body) throws IOException {
        var json = JSON.readTree(body);
        var lifetime = Duration.ofSeconds(json.path("expires_in").asLong(300));
        var margin = lifetime.dividedBy(10).plusSeconds(1);
        return new Token(
                json.path("access_token").asText(),
                clock.instant().plus(lifetime).minus(margin));
    }

    private RuntimeException refused(int status) {
        var kind = status == 400 || status == 401 || status == 403 ? Kind.UNAUTHENTICATED : Http.kind(status);
        return failures.exception(new Failure(
                kind,
                "UNAUTHENTICATED",
                "sign-in with client id " + clientId + " refused by " + endpoint + " (HTTP " + status + ")",
                "",
                null));
    }
}
