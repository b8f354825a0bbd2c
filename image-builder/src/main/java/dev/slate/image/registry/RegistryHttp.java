package dev.slate.image.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * GET as registries want it: asks for a token when told to, follows redirects without taking the token to another
 * host, and looks at every target first. Thread-safe.
 */
@Singleton
class RegistryHttp {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);
    private static final int MAX_REDIRECTS = 5;
    private static final int MAX_DOCUMENT = 8 << 20;
    private static final Pattern PARAMETER = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT_LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    /** The body of the answer; the caller closes it. */
    InputStream get(URI target, String accept) {
        HttpResponse<InputStream> answer = follow(target, accept, Optional.empty());
        if (answer.statusCode() == 401) {
            Optional<String> token = token(answer);
            close(answer);
            answer = follow(target, accept, token);
        }
        if (answer.statusCode() != 200) {
            close(answer);
            throw failure(target, answer.statusCode());
        }
        return answer.body();
    }

    /** A small document. */
    byte[] document(URI target, String accept) {
        try (InputStream body = get(target, accept)) {
            byte[] bytes = body.readNBytes(MAX_DOCUMENT + 1);
            if (bytes.length > MAX_DOCUMENT) {
                throw new PlatformException(ErrorCode.UNAVAILABLE, target + ": more than 8 MiB (expected: a manifest)");
            }
            return bytes;
        } catch (IOException e) {
            throw unavailable(target, e);
        }
    }

    private HttpResponse<InputStream> follow(URI first, String accept, Optional<String> token) {
        URI target = first;
        for (int hops = 0; hops <= MAX_REDIRECTS; hops++) {
            boolean sameHost = target.getAuthority().equals(first.getAuthority());
            HttpResponse<InputStream> answer = send(target, accept, sameHost ? token : Optional.empty());
            Optional<String> location = answer.headers().firstValue("location");
            if (answer.statusCode() / 100 != 3 || location.isEmpty()) {
                return answer;
            }
            close(answer);
            target = target.resolve(location.get());
        }
        throw new PlatformException(ErrorCode.UNAVAILABLE, first + ": more than " + MAX_REDIRECTS + " redirects");
    }

    private HttpResponse<InputStream> send(URI target, String accept, Optional<String> token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(RegistryEndpoint.check(target))
                .timeout(ANSWER_LIMIT)
                .header("accept", accept);
        token.ifPresent(value -> request.header("authorization", "Bearer " + value));
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw unavailable(target, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException(ErrorCode.CANCELLED, target + ": interrupted", e);
        }
    }

    /** A token for anonymous pulls, from where the registry says. */
    private Optional<String> token(HttpResponse<InputStream> refusal) {
        String challenge = refusal.headers().firstValue("www-authenticate").orElse("");
        if (!challenge.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return Optional.empty();
        }
        String realm = "";
        StringBuilder query = new StringBuilder();
        Matcher parameters = PARAMETER.matcher(challenge);
        while (parameters.find()) {
            String name = parameters.group(1);
            if (name.equals("realm")) {
                realm = parameters.group(2);
            } else if (name.equals("service") || name.equals("scope")) {
                query.append(query.isEmpty() ? "?" : "&").append(name).append('=');
                query.append(URLEncoder.encode(parameters.group(2), StandardCharsets.UTF_8));
            }
        }
        URI target = URI.create(realm + query);
        HttpResponse<InputStream> answer = send(target, "application/json", Optional.empty());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw failure(target, answer.statusCode());
            }
            JsonNode reply = JSON.readTree(body.readNBytes(MAX_DOCUMENT));
            return Optional.of(reply.path("token")
                            .asText(reply.path("access_token").asText("")))
                    .filter(value -> !value.isEmpty());
        } catch (IOException e) {
            throw unavailable(target, e);
        }
    }

    private static void close(HttpResponse<InputStream> answer) {
        try {
            answer.body().close();
        } catch (IOException e) {
            throw unavailable(answer.uri(), e);
        }
    }

    private static PlatformException failure(URI target, int status) {
        return switch (status) {
            case 401, 403, 404 ->
                new PlatformException(
                        ErrorCode.NOT_FOUND,
                        target.getHost() + " does not have " + target.getPath() + ", or not for everyone (HTTP "
                                + status + ")");
            case 429 ->
                new PlatformException(ErrorCode.RESOURCE_EXHAUSTED, target.getHost() + " limits pulls (HTTP 429)");
            default -> new PlatformException(ErrorCode.UNAVAILABLE, target + ": HTTP " + status);
        };
    }

    private static PlatformException unavailable(URI target, IOException cause) {
        return new PlatformException(
                ErrorCode.UNAVAILABLE,
                "registry " + target.getAuthority() + " does not answer: " + cause.getMessage(),
                cause);
    }
}
