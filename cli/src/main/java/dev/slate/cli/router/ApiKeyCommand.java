package dev.slate.cli.router;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Output;
import dev.slate.sdk.Router;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate router api-key}. */
@Command(
        name = "api-key",
        description = "Keys with which clients call the gateway.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ApiKeyCommand.Create.class, ApiKeyCommand.ListAll.class, ApiKeyCommand.Revoke.class})
final class ApiKeyCommand {

    private ApiKeyCommand() {}

    @Command(name = "create", description = "Make a key and print it, this once.")
    static final class Create extends ApiCommand {

        @Option(names = "--description", paramLabel = "TEXT", description = "What the key is for.")
        private String description = "";

        @Override
        protected int run(Slate slate, Output output) {
            var created = slate.router().createApiKey(description);
            output.value(created, created.key().reveal());
            return 0;
        }
    }

    @Command(name = "list", description = "List keys; the hash identifies a key.")
    static final class ListAll extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.router().apiKeys(),
                    List.of(
                            new Output.Column<>("HASH", Router.ApiKey::hash),
                            new Output.Column<>("PREFIX", Router.ApiKey::prefix),
                            new Output.Column<>("STATE", key -> key.revoked() ? "revoked" : "active"),
                            new Output.Column<>("CREATED", Router.ApiKey::createdAt),
                            new Output.Column<>("DESCRIPTION", Router.ApiKey::description)));
            return 0;
        }
    }

    @Command(name = "revoke", description = "Revoke a key at once and for good.")
    static final class Revoke extends ApiCommand {

        @Parameters(arity = "0..1", paramLabel = "HASH", description = "From the list.")
        private String positional = "";

        @Option(names = "--hash", paramLabel = "HASH", description = "The same.")
        private String hash = "";

        @Override
        protected int run(Slate slate, Output output) {
            var chosen = hash.isEmpty() ? positional : hash;
            if (chosen.isEmpty()) {
                throw new CommandFailure("no key named (expected: the hash that `slate router api-key list` shows)");
            }
            slate.router().revokeApiKey(chosen);
            output.done("revoked", "key", chosen);
            return 0;
        }
    }
}
