package dev.slate.cli.sandbox;

import dev.slate.sdk.RunningCommand;
import dev.slate.sdk.SlateException;
import java.time.Duration;

/**
 * Passes each change of the window's size on to a command. It looks a few times a second, because Java offers no way to
 * be told.
 */
final class WindowChanges implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(150);

    private final Thread thread;

    WindowChanges(RunningCommand running, WindowSize initial) {
        thread = Thread.ofVirtual().name("window").start(() -> follow(running, initial));
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private static void follow(RunningCommand running, WindowSize initial) {
        var known = initial;
        try {
            while (true) {
                Thread.sleep(PAUSE);
                var now = WindowSize.now();
                if (!now.equals(known)) {
                    known = now;
                    running.resize(now.columns(), now.rows());
                }
            }
        } catch (InterruptedException | SlateException _) {
            // The command has ended.
        }
    }
}
