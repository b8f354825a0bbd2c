package dev.slate.cli.router;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.sdk.Router;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import java.net.URI;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate router connection}. */
@Command(
        name = "connection",
        description = "Model providers behind the gateway.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ConnectionCommand.Put.class, ConnectionCommand.ListAll.class, ConnectionCommand.Delete.class})
final class ConnectionCommand {

    private ConnectionCommand() {}

    @Command(name = "put", description = "Create or replace a connection to an OpenAI-compatible provider.")
    static final class Put extends ApiCommand {

        @Parameters(paramLabel = "NAME", description = "Lower-case letters, digits and dashes.")
        private String name = "";

        @Option(
                names = "--base-url",
                required = true,
                paramLabel = "URL",
                description = "For example https://api.openai.com/v1.")
        private URI baseUrl = URI.create("");

        @Option(names = "--prefix", paramLabel = "TEXT", description = "Put before model names, for example openai/.")
        private String prefix = "";

        @Option(
                names = "--key-env",
                paramLabel = "VARIABLE",
                description = "Variable that holds the provider's key; without it the key is asked for.")
        private String keyVariable = "";

        @Option(names = "--no-key", description = "The provider needs no key.")
        private boolean noKey;

        @Override
        protected int run(Slate slate, Output output) {
            var connection = noKey
                    ? slate.router().putConnection(name, baseUrl, prefix)
                    : slate.router().putConnection(name, baseUrl, prefix, SecretValue.of(key(output)));
            output.value(connection, "stored connection " + connection.name());
            return 0;
        }

        private String key(Output output) {
            var value = keyVariable.isEmpty()
                    ? Typed.secret("Key of " + name)
                    : output.environment().getOrDefault(keyVariable, "");
            if (value.isEmpty()) {
                throw new IllegalArgumentException("key: empty (expected: the provider's key, or --no-key)");
            }
            return value;
        }
    }

    @Command(name = "list", description = "List connections.")
    static final class ListAll extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.router().connections(),
                    List.of(
                            new Output.Column<>("NAME", Router.Connection::name),
                            new Output.Column<>("BASE URL", Router.Connection::baseUrl),
                            new Output.Column<>("PREFIX", Router.Connection::modelPrefix),
                            new Output.Column<>("KEY", connection -> connection.hasKey() ? "stored" : "none")));
            return 0;
        }
    }

    @Command(name = "delete", description = "Delete a connection.")
    static final class Delete extends ApiCommand {

        @Parameters(paramLabel = "NAME", description = "From the list.")
        private String name = "";

        @Override
        protected int run(Slate slate, Output output) {
            slate.router().deleteConnection(name);
            output.done("deleted", "connection", name);
            return 0;
        }
    }
}
