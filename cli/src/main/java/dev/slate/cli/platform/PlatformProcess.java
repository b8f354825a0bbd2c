package dev.slate.cli.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The running platform, found again by its process id and start time. */
record PlatformProcess(ProcessHandle handle) {

    static Optional<PlatformProcess> find(SlateHome home) {
        return SlateHome.read(home.processFile()).flatMap(PlatformProcess::parse);
    }

    void remember(SlateHome home) {
        write(home.processFile(), handle.pid() + " " + startedAt(handle).toEpochMilli());
    }

    static void forget(SlateHome home) {
        try {
            Files.deleteIfExists(home.processFile());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + home.processFile(), e);
        }
    }

    boolean alive() {
        return handle.isAlive();
    }

    /** Asks it to stop; false when it still runs after that time. */
    boolean stop(Duration limit) {
        handle.destroy();
        try {
            handle.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Optional<PlatformProcess> parse(String text) {
        var words = text.split(" ", -1);
        return words.length == 2
                ? ProcessHandle.of(Long.parseLong(words[0]))
                        .filter(handle -> startedAt(handle).toEpochMilli() == Long.parseLong(words[1]))
                        .map(PlatformProcess::new)
                : Optional.empty();
    }

    private static Instant startedAt(ProcessHandle handle) {
        return handle.info().startInstant().orElse(Instant.EPOCH);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
