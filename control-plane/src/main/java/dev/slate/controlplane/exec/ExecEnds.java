package dev.slate.controlplane.exec;

import dev.slate.controlplane.agent.ExecEvent.Terminal;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/**
 * Writes down how commands ended, many at a time and off the path of the clients. What is not written when the process
 * dies the next one learns from the sandboxes. Thread-safe.
 */
@Singleton
class ExecEnds {
    private static final Logger LOG = Logger.getLogger(ExecEnds.class);
    private static final int MOST_AT_ONCE = 200;
    /** Ends that come close together are written together; who asks for one does not wait for that. */
    private static final Duration GATHERING = Duration.ofMillis(100);

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

    private final ExecStore store;
    private final Clock clock;
    private final ReentrantLock writing = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();
    /** At most as many as commands run. */
    private final Map<ExecKey, ExecRecord.End> waiting = new LinkedHashMap<>();

    private volatile boolean stopping;

    ExecEnds(ExecStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    void started(@Observes StartupEvent event) {
        Thread.ofVirtual().name("exec-ends").start(this::writeAll);
    }

    void stopping(@Observes ShutdownEvent event) {
        stopping = true;
        flush();
    }

    /** It ended just now. */
    void add(ExecKey key, Terminal how) {
        add(key, new ExecRecord.End(how, clock.instant()));
    }

    void add(ExecKey key, ExecRecord.End end) {
        lock.lock();
        try {
            waiting.put(key, end);
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when all that was added is written. */
    void flush() {
        writing.lock();
        try {
            for (var batch = next(); !batch.isEmpty(); batch = next()) {
                store.end(batch);
                forget(batch);
            }
        } finally {
            writing.unlock();
        }
    }

    private Map<ExecKey, ExecRecord.End> next() {
        lock.lock();
        try {
            Map<ExecKey, ExecRecord.End> batch = new LinkedHashMap<>();
            waiting.entrySet().stream()
                    .limit(MOST_AT_ONCE)
                    .forEach(entry -> batch.put(entry.getKey(), entry.getValue()));
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void forget(Map<ExecKey, ExecRecord.End> written) {
        lock.lock();
        try {
            written.forEach(waiting::remove);
        } finally {
            lock.unlock();
        }
    }

    private void writeAll() {
        try {
            while (!stopping) {
                awaitOne();
                Thread.sleep(GATHERING);
                try {
                    flush();
                } catch (RuntimeException failure) {
                    LOG.warnf(failure, "ends of commands cannot be recorded, it is tried again");
                    Thread.sleep(PAUSE_AFTER_FAILURE);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitOne() throws InterruptedException {
        lock.lock();
        try {
            while (waiting.isEmpty()) {
                added.await();
            }
        } finally {
            lock.unlock();
        }
    }
}
