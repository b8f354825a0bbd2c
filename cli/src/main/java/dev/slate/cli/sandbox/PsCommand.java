package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.CommandInfo;
import dev.slate.sdk.Slate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slate sandbox ps}. */
@Command(name = "ps", description = "List the commands that run in a sandbox; works by id also after its end.")
final class PsCommand extends OnSandbox {

    @Option(names = "--all", description = "Ended ones too, newest first.")
    private boolean all;

    @Override
    protected int run(Slate slate, Output output) {
        var sandbox = slate.sandboxes().get(sandbox());
        var now = Instant.now();
        output.list(
                (all ? sandbox.commands() : sandbox.runningCommands()).toList(),
                List.of(
                        new Output.Column<>("ID", CommandInfo::execId),
                        new Output.Column<>("STATE", CommandInfo::state),
                        new Output.Column<>("EXIT", CommandText::exit),
                        new Output.Column<>("AGE", info -> CommandText.age(Duration.between(info.startedAt(), now))),
                        new Output.Column<>("COMMAND", CommandText::line)));
        return 0;
    }
}
