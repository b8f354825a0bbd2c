package dev.slate.image.build;

import dev.slate.image.progress.BuildEvent;
import dev.slate.image.progress.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps what a build says in a file, up to a limit, and passes it on. Thread-safe. */
final class BuildLog implements Progress, AutoCloseable {
    private static final long LIMIT = 64L << 20;

    private final OutputStream file;
    private final Progress next;
    private long written;

    private BuildLog(OutputStream file, Progress next) {
        this.file = file;
        this.next = next;
    }

    static BuildLog open(Path path, Progress next) {
        try {
            return new BuildLog(Files.newOutputStream(path), next);
        } catch (IOException e) {
            throw new UncheckedIOException("log of a build", e);
        }
    }

    @Override
    public synchronized void event(BuildEvent event) {
        switch (event) {
            case BuildEvent.Phase phase ->
                write(("== " + phase.message() + (phase.cached() ? " (cached)" : "") + "\n")
                        .getBytes(StandardCharsets.UTF_8));
            case BuildEvent.Log log -> write(log.output());
        }
        next.event(event);
    }

    private void write(byte[] bytes) {
        if (written > LIMIT) {
            return;
        }
        try {
            file.write(bytes);
            written += bytes.length;
        } catch (IOException e) {
            throw new UncheckedIOException("log of a build", e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("log of a build", e);
        }
    }
}
