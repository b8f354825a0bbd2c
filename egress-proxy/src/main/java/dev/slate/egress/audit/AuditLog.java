package dev.slate.egress.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Keeps one JSON line per connection in a file per sandbox, written by one thread out of a bounded queue so that the
 * data path never waits for a disk. A file that gets too big is set aside once; what was set aside before is dropped.
 * Thread-safe.
 */
public final class AuditLog implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(AuditLog.class);
    private static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private sealed interface Task {
        record Append(ConnectionRecord entry) implements Task {}

        record Marker(CompletableFuture<Boolean> reached) implements Task {}
    }

    private final Path folder;
    private final long maxFileBytes;
    private final BlockingQueue<Task> queue;
    private final AtomicLong sequence;
    private final AtomicLong dropped = new AtomicLong();
    private final Thread writer;
    private volatile boolean open = true;

    public AuditLog(Path folder, int queueLength, long maxFileBytes, Clock clock) {
        this.folder = folder;
        this.maxFileBytes = maxFileBytes;
        this.queue = new ArrayBlockingQueue<>(queueLength);
        // Numbers go on rising over restarts because they start at the time.
        this.sequence = new AtomicLong(clock.millis() * 1000);
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("audit folder " + folder, e);
        }
        this.writer = Thread.ofPlatform().name("egress-audit").daemon().start(this::write);
    }

    /** A number for the next record. */
    public long nextSequence() {
        return sequence.incrementAndGet();
    }

    /** Hands a record over; never blocks. If the writer is too far behind, the record is only counted. */
    public void append(ConnectionRecord entry) {
        if (!queue.offer(new Task.Append(entry))) {
            dropped.incrementAndGet();
        }
    }

    /** How many records did not fit into the queue. */
    public long dropped() {
        return dropped.get();
    }

    /** Records of a sandbox with a number above {@code after}, oldest first, everything appended before included. */
    public List<ConnectionRecord> list(String sandbox, long after, int limit) {
        drain();
        return Stream.of(file(sandbox, ".1"), file(sandbox, ""))
                .flatMap(AuditLog::lines)
                .map(AuditLog::parse)
                .flatMap(List::stream)
                .filter(entry -> entry.sequence() > after)
                .limit(limit)
                .toList();
    }

    @Override
    public void close() {
        drain();
        open = false;
        writer.interrupt();
    }

    private void drain() {
        var reached = new CompletableFuture<Boolean>();
        try {
            if (queue.offer(new Task.Marker(reached), 1, TimeUnit.SECONDS)) {
                reached.get(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warnf(e, "audit writer is behind: look for a full or slow disk under %s", folder);
        }
    }

    private void write() {
        var batch = new ArrayList<Task>();
        while (open) {
            try {
                batch.add(queue.take());
            } catch (InterruptedException _) {
                return;
            }
            queue.drainTo(batch, 256);
            for (var task : batch) {
                switch (task) {
                    case Task.Append(var entry) -> store(entry);
                    case Task.Marker(var reached) -> reached.complete(true);
                }
            }
            batch.clear();
        }
    }

    private void store(ConnectionRecord entry) {
        var file = file(entry.sandbox(), "");
        try {
            if (Files.exists(file) && Files.size(file) > maxFileBytes) {
                Files.move(file, file(entry.sandbox(), ".1"), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.writeString(
                    file, JSON.writeValueAsString(entry) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            dropped.incrementAndGet();
            LOG.errorf(e, "audit record of sandboxId=%s not written: check the disk", entry.sandbox());
        }
    }

    private Path file(String sandbox, String suffix) {
        if (!sandbox.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new IllegalArgumentException("sandbox id: " + sandbox + " (expected: 1 to 64 letters, digits, '-')");
        }
        return folder.resolve(sandbox + ".jsonl" + suffix);
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file, UTF_8).stream() : Stream.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("audit file " + file, e);
        }
    }

    /** A line that a crash cut short is left out. */
    private static List<ConnectionRecord> parse(String line) {
        try {
            return List.of(JSON.readValue(line, ConnectionRecord.class));
        } catch (JsonProcessingException _) {
            return List.of();
        }
    }
}
