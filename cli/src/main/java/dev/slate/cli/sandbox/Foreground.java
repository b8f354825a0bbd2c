package dev.slate.cli.sandbox;

import dev.slate.sdk.Command;
import dev.slate.sdk.ExecEnd;
import dev.slate.sdk.ExecEvent;
import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.SlateException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a command as if it were local: standard streams and exit status pass through, and Ctrl-C ends it. */
final class Foreground {

    private Foreground() {}

    /** With the standard input of this program; Ctrl-C does this as well. */
    static int run(Command command, Runnable onInterrupt) {
        command.stdinOpen();
        try (var running = command.start()) {
            return follow(running, true, () -> {}, () -> {
                kill(running);
                onInterrupt.run();
            });
        }
    }

    /** With the standard input of this program. */
    static int run(Command command) {
        return run(command, () -> {});
    }

    /** Somebody else's command: Ctrl-C leaves it running and says how to come back. */
    static int follow(RunningCommand running, String again) {
        return follow(
                running,
                false,
                () -> {},
                () -> System.err.println("slate: the command runs on; follow it again with: " + again));
    }

    /** Says that output is missing. */
    static void explainGap(ExecEvent event) {
        switch (event) {
            case ExecEvent.LogGone _ -> System.err.println("slate: the output is not kept any more");
            case ExecEvent.Dropped gap ->
                System.err.println("slate: " + gap.bytes() + " bytes of output are not kept any more");
            case ExecEvent.Started _, ExecEvent.Stdout _, ExecEvent.Stderr _, ExecEvent.Ended _ -> {}
        }
    }

    /** With standard input at its end from the start. */
    static int runWithoutInput(Command command) {
        return follow(command, false);
    }

    /** On a terminal like the one that standard input is; with input, that one is raw meanwhile and restored. */
    static int runOnTerminal(Command command, boolean input) {
        var terminal = LocalTerminal.open();
        var size = WindowSize.now();
        command.terminal(size.columns(), size.rows());
        if (input) {
            command.stdinOpen();
        }
        try (var running = command.start();
                var _ = new WindowChanges(running, size)) {
            if (input) {
                terminal.makeRaw();
            }
            return follow(running, input, terminal::restore, () -> kill(running));
        } finally {
            terminal.restore();
        }
    }

    private static int follow(Command command, boolean input) {
        try (var running = command.start()) {
            return follow(running, input, () -> {}, () -> kill(running));
        }
    }

    private static int follow(RunningCommand running, boolean input, Runnable atEnd, Runnable interrupted) {
        var ended = new AtomicBoolean();
        var onInterrupt = new Thread(() -> {
            if (!ended.get()) {
                interrupted.run();
            }
        });
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        if (input) {
            // A daemon: nothing interrupts a read of standard input.
            Thread.ofPlatform().daemon().name("stdin").start(() -> feed(running));
        }
        var result = running.copyTo(System.out, System.err);
        atEnd.run();
        ended.set(true);
        Runtime.getRuntime().removeShutdownHook(onInterrupt);
        if (result.logGone()) {
            System.err.println("slate: the output is not kept any more");
        }
        explain(result.toString(), result.end());
        return result.exitCode();
    }

    private static void explain(String text, ExecEnd end) {
        switch (end) {
            case ExecEnd.TimedOut _, ExecEnd.NotStarted _, ExecEnd.Lost _ -> System.err.println("slate: " + text);
            case ExecEnd.Exited _, ExecEnd.Signaled _ -> {}
        }
    }

    private static void feed(RunningCommand running) {
        var buffer = new byte[64 * 1024];
        try (var stdin = running.stdin()) {
            for (int n = System.in.read(buffer); n >= 0; n = System.in.read(buffer)) {
                stdin.write(buffer, 0, n);
                stdin.flush();
            }
        } catch (IOException | SlateException _) {
            // The command ended before it had read everything.
        }
    }

    private static void kill(RunningCommand running) {
        try {
            running.kill();
        } catch (SlateException _) {
            // The platform ends what runs with the sandbox.
        }
    }
}
