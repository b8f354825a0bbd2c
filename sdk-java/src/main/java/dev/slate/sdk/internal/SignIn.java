package dev.slate.sdk.internal;

import dev.slate.sdk.internal.Failure.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/**
 * Which install to talk to and as whom, found in the environment.
 *
 * <p>A stored token is only ever sent to the endpoint it was stored for, the owner's token only to this machine.
 */
public record SignIn(Endpoint endpoint, TokenSource tokens, Optional<String> environmentId) {

    private static final Path DEFAULT_HOME = Path.of("/var/lib/slate");

    /** Reads {@code SLATE_*} variables, then the credentials file, then the files of an install on this machine. */
    public static SignIn find(Map<String, String> environment, Failures failures) {
        var stored = CredentialsFile.of(environment).read();
        var home = value(environment, "SLATE_HOME").map(Path::of);
        var endpoint = value(environment, "SLATE_ENDPOINT")
                .or(() -> home.flatMap(SignIn::recordedEndpoint))
                .map(Endpoint::parse)
                .or(() -> stored.map(CredentialsFile.Entry::endpoint))
                .or(() -> recordedEndpoint(DEFAULT_HOME).map(Endpoint::parse))
                .orElse(Endpoint.LOCAL);
        var tokens = explicit(environment, endpoint, failures)
                .or(() -> home.flatMap(folder -> ownerToken(folder, endpoint)))
                .or(() -> stored.filter(entry -> entry.endpoint().equals(endpoint))
                        .flatMap(entry -> stored(entry, failures)))
                .or(() -> ownerToken(DEFAULT_HOME, endpoint))
                .orElseThrow(() -> failures.exception(new Failure(
                        Kind.UNAUTHENTICATED,
                        "UNAUTHENTICATED",
                        "not signed in to " + endpoint
                                + ": set SLATE_TOKEN, or SLATE_CLIENT_ID and SLATE_CLIENT_SECRET, or run: slate login",
                        "",
                        null)));
        return new SignIn(endpoint, tokens, value(environment, "SLATE_ENVIRONMENT_ID"));
    }

    private static Optional<TokenSource> explicit(
            Map<String, String> environment, Endpoint endpoint, Failures failures) {
        var token = value(environment, "SLATE_TOKEN");
        if (token.isPresent()) {
            return token.map(value -> () -> value);
        }
        var clientId = value(environment, "SLATE_CLIENT_ID");
        var clientSecret = value(environment, "SLATE_CLIENT_SECRET");
        if (clientId.isPresent() != clientSecret.isPresent()) {
            throw failures.exception(new Failure(
                    Kind.UNAUTHENTICATED,
                    "UNAUTHENTICATED",
                    "SLATE_CLIENT_ID and SLATE_CLIENT_SECRET must be set together",
                    "",
                    null));
        }
        return clientId.map(
                id -> new ClientCredentials(endpoint, id, clientSecret.orElseThrow(), Clock.systemUTC(), failures));
    }

    private static Optional<TokenSource> stored(CredentialsFile.Entry entry, Failures failures) {
        if (entry.token().isPresent()) {
            return entry.token().map(value -> () -> value);
        }
        return entry.clientId()
                .map(id -> new ClientCredentials(
                        entry.endpoint(), id, entry.clientSecret().orElse(""), Clock.systemUTC(), failures));
    }

    private static Optional<TokenSource> ownerToken(Path home, Endpoint endpoint) {
        var file = home.resolve("owner-token");
        if (!endpoint.loopback() || !Files.isReadable(file)) {
            return Optional.empty();
        }
        // Read each time: a restart of the platform may write a new one.
        return Optional.of(() -> read(file));
    }

    private static Optional<String> recordedEndpoint(Path home) {
        var file = home.resolve("endpoint");
        return Files.isReadable(file) ? Optional.of(read(file)) : Optional.empty();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static Optional<String> value(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }
}
