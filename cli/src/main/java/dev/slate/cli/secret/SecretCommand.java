package dev.slate.cli.secret;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.sdk.Secrets;
import dev.slate.sdk.Slate;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate secret}. */
@Command(
        name = "secret",
        description = "Keep values that sandboxes use.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SecretCommand.Set.class,
            SecretCommand.ListAll.class,
            SecretCommand.Get.class,
            SecretCommand.Delete.class
        })
public final class SecretCommand {

    private SecretCommand() {}

    @Command(name = "set", description = "Create or overwrite a secret; asks for the value when it is not given.")
    static final class Set extends ApiCommand {

        @Parameters(paramLabel = "NAME[=VALUE]", description = "Without a value it is asked for, or read from stdin.")
        private String name = "";

        @Override
        protected int run(Slate slate, Output output) {
            var given = name.contains("=");
            var secretName = given ? Typed.pair("secret", name).getKey() : name;
            var value = given ? Typed.pair("secret", name).getValue() : Typed.secret("Value of " + name);
            if (value.isEmpty()) {
                throw new CommandFailure("value of " + secretName + ": empty (expected: at least one character)");
            }
            var entry = slate.secrets().set(secretName, value);
            output.value(entry, "stored secret " + entry.name());
            return 0;
        }
    }

    @Command(name = "list", description = "List names; values never show.")
    static final class ListAll extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            output.list(
                    slate.secrets().list(),
                    List.of(
                            new Output.Column<>("NAME", Secrets.Entry::name),
                            new Output.Column<>("UPDATED", Secrets.Entry::updatedAt)));
            return 0;
        }
    }

    @Command(name = "get", description = "Print the value; needs the permission secrets.decrypt.")
    static final class Get extends ApiCommand {

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "Name of the secret.")
        private String name = "";

        @Override
        protected int run(Slate slate, Output output) {
            var value = slate.secrets().get(name);
            output.value(Map.of("name", name, "value", value), value.reveal());
            return 0;
        }
    }

    @Command(name = "delete", description = "Delete a secret.")
    static final class Delete extends ApiCommand {

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "Name of the secret.")
        private String name = "";

        @Override
        protected int run(Slate slate, Output output) {
            slate.secrets().delete(name);
            output.done("deleted", "secret", name);
            return 0;
        }
    }
}
