package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slate sandbox kill}. */
@Command(name = "kill", description = "Send a signal to a command.")
final class KillCommand extends OnExec {

    @Option(
            names = {"-s", "--signal"},
            paramLabel = "SIGNAL",
            description = "TERM, INT, KILL, …; default ${DEFAULT-VALUE}.")
    private String signal = "TERM";

    @Option(names = "--tree", description = "Also to all that the command started.")
    private boolean tree;

    @Override
    protected int run(Slate slate, Output output) {
        slate.sandboxes().get(sandbox()).signal(execId(), signal, tree);
        output.done("signalled", "command", execId());
        return 0;
    }
}
