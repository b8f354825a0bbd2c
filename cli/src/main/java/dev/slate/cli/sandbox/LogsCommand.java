package dev.slate.cli.sandbox;

import dev.slate.cli.common.Output;
import dev.slate.sdk.ExecEvent;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.Slate;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slate sandbox logs}. */
@Command(name = "logs", description = "Print what is kept of the output of a command.")
final class LogsCommand extends OnExec {

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the command ends.")
    private boolean follow;

    @Option(names = "--tail", paramLabel = "LINES", description = "Only the last lines of it.")
    private int tail = Integer.MAX_VALUE;

    @Override
    protected int run(Slate slate, Output output) {
        if (tail < 0) {
            throw new IllegalArgumentException("--tail: " + tail + " (expected: 0 or more)");
        }
        var sandbox = slate.sandboxes().get(sandbox());
        var events = sandbox.log(execId());
        LogTail.of(events, tail).forEach(piece -> {
            var stream = piece.error() ? System.err : System.out;
            stream.write(piece.bytes(), 0, piece.bytes().length);
            stream.flush();
        });
        events.forEach(Foreground::explainGap);
        if (follow && (events.isEmpty() || !(events.getLast() instanceof ExecEvent.Ended))) {
            follow(sandbox, events);
        }
        return 0;
    }

    private void follow(Sandbox sandbox, List<ExecEvent> seen) {
        var next = seen.isEmpty() ? 0 : seen.getLast().sequence() + 1;
        try (var running = sandbox.attach(execId(), next)) {
            var _ = running.copyTo(System.out, System.err);
        }
    }
}
