package dev.slate.cli;

import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a completion script for a shell. */
@Command(
        name = "completion",
        description = "Print a completion script: source <(slate completion bash).",
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Runnable {

    private enum Shell {
        BASH,
        ZSH
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}; the same script serves both.")
    private Shell shell = Shell.BASH;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        var root = spec.root().commandLine();
        root.getOut().println("# Completion of slate for " + shell.name().toLowerCase(Locale.ROOT));
        root.getOut().println(AutoComplete.bash("slate", root));
        root.getOut().flush();
    }
}
