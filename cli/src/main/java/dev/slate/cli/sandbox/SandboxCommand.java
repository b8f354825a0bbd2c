package dev.slate.cli.sandbox;

import picocli.CommandLine.Command;

/** {@code slate sandbox}. */
@Command(
        name = "sandbox",
        description = "Start sandboxes, run commands in them, end them.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            CreateCommand.class,
            ListCommand.class,
            GetCommand.class,
            ExecCommand.class,
            AttachCommand.class,
            LogsCommand.class,
            PsCommand.class,
            KillCommand.class,
            CopyCommand.class,
            FilesCommand.class,
            ForwardCommand.class,
            PolicyCommand.class,
            AllowCommand.class,
            EgressCommand.class,
            TerminateCommand.class
        })
public final class SandboxCommand {

    private SandboxCommand() {}
}
