package dev.slate.cli.policy;

import picocli.CommandLine.Command;

/** {@code slate policy}. */
@Command(
        name = "policy",
        description = "Try network policies out.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = TestCommand.class)
public final class PolicyCommand {

    private PolicyCommand() {}
}
