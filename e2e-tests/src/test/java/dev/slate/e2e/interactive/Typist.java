package dev.slate.e2e.interactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.slate.sdk.ExecResult;
import dev.slate.sdk.RunningCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Types on a terminal in a sandbox and looks at what it shows. */
final class Typist implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RunningCommand running;
    private final OutputStream keys;
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final Screen screen;
    private final CompletableFuture<ExecResult> end;

    Typist(RunningCommand running, int columns, int rows) {
        this.running = running;
        this.keys = running.stdin();
        this.screen = new Screen(columns, rows, shown, this::type);
        this.end = CompletableFuture.supplyAsync(() -> running.copyTo(screen, screen));
    }

    synchronized void type(String text) {
        try {
            keys.write(text.getBytes(StandardCharsets.UTF_8));
            keys.flush();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Waits until the terminal shows the text, which it has not shown before the last {@link #forget}. */
    void see(String text) {
        await("on the terminal: " + text).atMost(PATIENCE).until(() -> shown().contains(text));
    }

    /** Waits until a row of the screen, counted from 0, begins with the text. */
    void seeInRow(int row, String text) {
        await("in row " + row + ": " + text)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(screen.rows().get(row)).startsWith(text));
    }

    /** What is on the screen, row by row. */
    List<String> screen() {
        return screen.rows();
    }

    /** Everything since the last {@link #forget}. */
    String shown() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    void forget() {
        shown.reset();
    }

    void resize(int columns, int rows) {
        screen.resize(columns, rows);
        running.resize(columns, rows);
    }

    ExecResult end() {
        return end.orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }

    @Override
    public void close() {
        if (!end.isDone()) {
            running.kill();
        }
        running.close();
    }
}
