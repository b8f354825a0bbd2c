package dev.slate.cli.router;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.sdk.Router;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code slate router}. */
@Command(
        name = "router",
        description = "Manage the model gateway.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {RouterCommand.Models.class, ApiKeyCommand.class, ConnectionCommand.class})
public final class RouterCommand {

    private RouterCommand() {}

    @Command(
            name = "model",
            description = "Models that the gateway serves.",
            mixinStandardHelpOptions = true,
            synopsisSubcommandLabel = "COMMAND",
            subcommands = ModelList.class)
    static final class Models {}

    @Command(name = "list", description = "List models.")
    static final class ModelList extends ApiCommand {

        @Override
        protected int run(Slate slate, Output output) {
            var models = slate.router().models();
            output.list(
                    models.models(),
                    List.of(
                            new Output.Column<>("MODEL", Router.Model::id),
                            new Output.Column<>("CONNECTION", Router.Model::connection)));
            models.unreachable()
                    .forEach((name, reason) -> output.err().println("slate: connection " + name + ": " + reason));
            return 0;
        }
    }
}
