package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.CommandFailure;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command on one sandbox, named by position or by option. */
abstract class OnSandbox extends ApiCommand {

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Name or id of the sandbox.")
    private String positional = "";

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "The same.")
    private String name = "";

    final String sandbox() {
        if (name.isEmpty() && positional.isEmpty()) {
            throw new CommandFailure("no sandbox named (expected: a name or id, as `slate sandbox list` shows)");
        }
        return name.isEmpty() ? positional : name;
    }
}
