package dev.slate.cli.sandbox;

import dev.slate.cli.common.CommandFailure;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The terminal that standard input is, used through {@code stty}. Thread-safe. */
final class LocalTerminal {

    private final String settings;
    private final AtomicBoolean raw = new AtomicBoolean();

    private LocalTerminal(String settings) {
        this.settings = settings;
    }

    /** Fails unless standard input is a terminal. */
    static LocalTerminal open() {
        try {
            return new LocalTerminal(stty("-g"));
        } catch (IOException e) {
            throw new CommandFailure(
                    "-t: standard input is not a terminal (expected: a terminal, or -i alone to pass input on)");
        }
    }

    /** Every key goes to the program as it is, Ctrl-C too; until {@link #restore}, which the end of this one calls. */
    void makeRaw() {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(this::restore));
            raw.set(true);
            var _ = stty("raw", "-echo");
        } catch (IOException e) {
            restore();
            throw new CommandFailure("-t: cannot switch the terminal to raw mode: " + e.getMessage());
        }
    }

    void restore() {
        if (raw.getAndSet(false)) {
            try {
                var _ = stty(settings);
            } catch (IOException _) {
                // The terminal is gone.
            }
        }
    }

    private static String stty(String... arguments) throws IOException {
        var command = new String[arguments.length + 1];
        command[0] = "stty";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        var process = new ProcessBuilder(command)
                .redirectInput(Redirect.INHERIT)
                .redirectError(Redirect.DISCARD)
                .start();
        try (var output = process.getInputStream()) {
            var text = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(5, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("stty " + String.join(" ", arguments) + " failed");
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
