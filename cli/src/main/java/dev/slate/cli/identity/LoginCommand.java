package dev.slate.cli.identity;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.sdk.Caller;
import dev.slate.sdk.Progress;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import dev.slate.sdk.internal.ClientCredentials;
import dev.slate.sdk.internal.CredentialsFile;
import dev.slate.sdk.internal.CredentialsFile.Entry;
import dev.slate.sdk.internal.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code slate login}. */
@Command(
        name = "login",
        description = "Sign in and remember it; on the platform's own host without any question.",
        mixinStandardHelpOptions = true)
public final class LoginCommand implements Callable<Integer> {

    @Option(names = "--endpoint", paramLabel = "URL", description = "Default: SLATE_ENDPOINT or this host.")
    private String endpoint = "";

    @Option(names = "--client-id", paramLabel = "ID", description = "Sign in as a service token; asks for its secret.")
    private String clientId = "";

    @Option(names = "--token-stdin", description = "Ask for a bearer token, or read it from standard input.")
    private boolean askForToken;

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        var variables = output.environment();
        var address = Endpoint.parse(
                endpoint.isEmpty() ? variables.getOrDefault("SLATE_ENDPOINT", Endpoint.LOCAL.toString()) : endpoint);
        var entry = entry(address, variables);
        var caller = check(address, entry);
        var file = CredentialsFile.of(variables);
        file.write(entry);
        output.value(
                caller,
                "signed in to " + address + " as " + caller.displayName() + " (environment " + caller.environmentName()
                        + "), stored in " + file.path());
        return 0;
    }

    private Entry entry(Endpoint address, Map<String, String> variables) {
        var client = clientId.isEmpty() ? variables.getOrDefault("SLATE_CLIENT_ID", "") : clientId;
        if (!client.isEmpty() && !askForToken) {
            var secret = variables.get("SLATE_CLIENT_SECRET");
            return Entry.ofClient(address, client, secret == null ? Typed.secret("Client secret") : secret);
        }
        var ownerToken = Path.of(variables.getOrDefault("SLATE_HOME", "/var/lib/slate"), "owner-token");
        if (!askForToken && address.loopback() && Files.isReadable(ownerToken)) {
            try {
                return Entry.ofToken(address, Files.readString(ownerToken).strip());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + ownerToken, e);
            }
        }
        var token = Typed.secret("Token").strip();
        if (token.isEmpty()) {
            throw new CommandFailure("token: empty (expected: a bearer token, or --client-id)");
        }
        return Entry.ofToken(address, token);
    }

    private static Caller check(Endpoint address, Entry entry) {
        var token = entry.token()
                .orElseGet(() -> new ClientCredentials(
                                address,
                                entry.clientId().orElseThrow(),
                                entry.clientSecret().orElseThrow(),
                                Clock.systemUTC(),
                                failure -> new CommandFailure(failure.message()))
                        .token());
        try (var slate = Slate.builder()
                .endpoint(address.uri(), SecretValue.of(token))
                .progress(Progress.none())
                .build()) {
            return slate.whoAmI();
        }
    }
}
