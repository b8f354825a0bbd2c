package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import picocli.CommandLine.Command;

/** {@code slate sandbox terminate}. */
@Command(name = "terminate", description = "End a sandbox; what it wrote to the latest of a volume is kept.")
final class TerminateCommand extends OnSandbox {

    @Override
    protected int run(Slate slate, Output output) {
        var ended = slate.sandboxes().get(sandbox()).terminate();
        output.value(ended, "terminated sandbox " + ended.id());
        return 0;
    }
}
