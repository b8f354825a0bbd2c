package dev.slate.cli.sandbox;

import dev.slate.cli.common.ApiCommand;
import dev.slate.cli.common.Output;
import dev.slate.cli.common.Typed;
import dev.slate.sdk.Slate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code slate sandbox exec}. */
@Command(
        name = "exec",
        description = "Run a command in a sandbox; standard streams and exit status pass through.",
        customSynopsis = "slate sandbox exec (NAME | --name NAME) [OPTIONS] -- COMMAND")
final class ExecCommand extends ApiCommand {

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "Name or id of the sandbox; without it, the first argument.")
    private String name = "";

    @Option(
            names = {"-i", "--interactive"},
            description = "Pass standard input on; without it, the command finds it at its end.")
    private boolean interactive;

    @Option(
            names = {"-t", "--tty"},
            description = "Run on a terminal like this one; with -i, every key goes to the command.")
    private boolean terminal;

    @Option(
            names = {"-d", "--detach"},
            description = "Print the id of the command and leave it running.")
    private boolean detach;

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "Set a variable.")
    private List<String> env = new ArrayList<>();

    @Option(names = "--workdir", paramLabel = "PATH", description = "Where the command starts.")
    private String workdir = "";

    @Option(names = "--user", paramLabel = "USER", description = "Who the command runs as.")
    private String user = "";

    @Option(names = "--timeout", paramLabel = "TIME", description = "Kill the command after this time.")
    private String timeout = "";

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "The command and its arguments.")
    private List<String> arguments = new ArrayList<>();

    @Override
    protected int run(Slate slate, Output output) {
        var words = new ArrayList<>(arguments);
        var sandbox = name.isEmpty() ? words.removeFirst() : name;
        if (words.isEmpty()) {
            throw new IllegalArgumentException("command: none (expected: slate sandbox exec NAME -- COMMAND)");
        }
        if (detach && (interactive || terminal)) {
            throw new IllegalArgumentException("--detach: together with -i or -t (expected: one of the two)");
        }
        var command = slate.sandboxes().get(sandbox).command(words.toArray(String[]::new));
        if (terminal) {
            command.env("TERM", System.getenv().getOrDefault("TERM", "xterm-256color"));
        }
        env.forEach(text -> {
            var pair = Typed.pair("--env", text);
            command.env(pair.getKey(), pair.getValue());
        });
        if (!workdir.isEmpty()) {
            command.workdir(workdir);
        }
        if (!user.isEmpty()) {
            command.user(user);
        }
        if (!timeout.isEmpty()) {
            command.timeout(Typed.duration("--timeout", timeout));
        }
        if (detach) {
            try (var running = command.start()) {
                output.value(Map.of("execId", running.execId()), running.execId());
            }
            return 0;
        }
        if (terminal) {
            return Foreground.runOnTerminal(command, interactive);
        }
        return interactive ? Foreground.run(command) : Foreground.runWithoutInput(command);
    }
}
