package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.Slate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slate sandbox attach}. */
@Command(
        name = "attach",
        description = "Follow a command to its end and pass its exit status on; Ctrl-C leaves it running.")
final class AttachCommand extends OnExec {

    @Option(names = "--from", paramLabel = "N", description = "Begin with this event of its log; 0 is the start.")
    private long from;

    @Override
    protected int run(Slate slate, Output output) {
        var sandbox = slate.sandboxes().get(sandbox());
        try (var running = sandbox.attach(execId(), from)) {
            return Foreground.follow(running, "slate sandbox attach " + sandbox() + " " + execId());
        }
    }
}
