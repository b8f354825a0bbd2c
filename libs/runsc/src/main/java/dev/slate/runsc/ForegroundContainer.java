package dev.slate.runsc;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A container that runs one command to its end. Thread-safe: {@link #cancel()} may come from anywhere. */
public final class ForegroundContainer {

    private final Runsc runsc;
    private final ContainerId id;
    private final Process process;
    private final Thread stdout;
    private final Thread stderr;
    private final AtomicBoolean cancelled = new AtomicBoolean();

    ForegroundContainer(Runsc runsc, ContainerId id, Process process, OutputConsumer output) {
        this.runsc = runsc;
        this.id = id;
        this.process = process;
        stdout = pump(process.getInputStream(), OutputConsumer.Source.STDOUT, output);
        stderr = pump(process.getErrorStream(), OutputConsumer.Source.STDERR, output);
    }

    /**
     * Waits for the end, at most {@code limit} long, and removes the container.
     *
     * <p>Interrupting the waiting thread cancels the container.
     */
    public Completion await(Duration limit) {
        try {
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                end();
            }
            stdout.join();
            stderr.join();
            return completion(ended);
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
            return new Completion.Cancelled();
        } finally {
            runsc.destroy(id);
        }
    }

    /** Ends everything inside; {@link #await} then returns. */
    public void cancel() {
        cancelled.set(true);
        end();
    }

    private void end() {
        process.destroyForcibly();
        runsc.killProcesses(id);
    }

    private Completion completion(boolean ended) {
        if (cancelled.get()) {
            return new Completion.Cancelled();
        }
        if (!ended) {
            return new Completion.TimedOut();
        }
        if (runsc.usage(id).outOfMemoryKills() > 0) {
            return new Completion.OutOfMemory();
        }
        int exitCode = process.exitValue();
        if (exitCode != 0) {
            runsc.failureOf(id).ifPresent(failure -> {
                throw new RunscException("container " + id + ": " + failure);
            });
        }
        return new Completion.Exited(exitCode);
    }

    private static Thread pump(InputStream stream, OutputConsumer.Source source, OutputConsumer output) {
        return Thread.ofVirtual().start(() -> {
            byte[] buffer = new byte[16 * 1024];
            try (stream) {
                for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
                    output.accept(source, Arrays.copyOf(buffer, read));
                }
            } catch (IOException e) {
                // The container was killed while its output was read: there is no more of it.
                return;
            }
        });
    }
}
