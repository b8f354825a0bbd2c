package dev.slate.cli;

import dev.slate.cli.common.CommandFailure;
import dev.slate.cli.common.Environment;
import dev.slate.cli.identity.ConfigCommand;
import dev.slate.cli.identity.LoginCommand;
import dev.slate.cli.identity.ServiceTokenCommand;
import dev.slate.cli.identity.TokenCommand;
import dev.slate.cli.identity.WhoAmICommand;
import dev.slate.cli.image.ImageCommand;
import dev.slate.cli.platform.DemoCommand;
import dev.slate.cli.platform.DoctorCommand;
import dev.slate.cli.platform.DownCommand;
import dev.slate.cli.platform.LogsCommand;
import dev.slate.cli.platform.StatusCommand;
import dev.slate.cli.platform.UpCommand;
import dev.slate.cli.policy.PolicyCommand;
import dev.slate.cli.router.RouterCommand;
import dev.slate.cli.sandbox.SandboxCommand;
import dev.slate.cli.secret.SecretCommand;
import dev.slate.cli.source.RunCommand;
import dev.slate.cli.volume.VolumeCommand;
import dev.slate.sdk.SlateException;
import java.io.UncheckedIOException;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

/** Entry of the {@code slate} program. Exit status: 0 done, 1 failed, 2 used wrongly, or that of the command run. */
@Command(
        name = "slate",
        description = "Runs agents, and any code that a model wrote, in sandboxes that are safe to give a shell.",
        mixinStandardHelpOptions = true,
        version = "slate 0.1.0",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            LogsCommand.class,
            DoctorCommand.class,
            RunCommand.class,
            SandboxCommand.class,
            ImageCommand.class,
            VolumeCommand.class,
            PolicyCommand.class,
            SecretCommand.class,
            RouterCommand.class,
            LoginCommand.class,
            WhoAmICommand.class,
            ConfigCommand.class,
            TokenCommand.class,
            ServiceTokenCommand.class,
            CompletionCommand.class
        })
public final class Main implements Environment.Source {

    private final Map<String, String> environment;

    private Main(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String... args) {
        System.exit(commandLine(System.getenv()).execute(args));
    }

    /** The whole program, for tests too. */
    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new Main(environment))
                .setExecutionExceptionHandler(Main::report)
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(28)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public Map<String, String> environment() {
        return environment;
    }

    /** Failures that a user can act on are one line; all else is a fault of ours and shows where. */
    private static int report(Exception failure, CommandLine commandLine, ParseResult parsed) {
        var err = commandLine.getErr();
        switch (failure) {
            case SlateException e -> err.println("slate: " + e.getMessage() + " (" + e.code() + ")");
            case CommandFailure e -> err.println("slate: " + e.getMessage());
            case IllegalArgumentException e -> err.println("slate: " + e.getMessage());
            case UncheckedIOException e -> err.println("slate: " + e.getMessage() + ": " + e.getCause());
            default -> failure.printStackTrace(err);
        }
        err.flush();
        return commandLine.getCommandSpec().exitCodeOnExecutionException();
    }
}
