package dev.slate.controlplane.sandbox;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * Makes the desired state of every sandbox true: one virtual thread per sandbox, which reads the whole state and never
 * an event. Thread-safe.
 */
@Singleton
class SandboxReconciler {
    private static final Logger LOG = Logger.getLogger(SandboxReconciler.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration FOREVER = Duration.ofDays(1);

    private final SandboxRecords records;
    private final SandboxRuntime runtime;
    private final SandboxStarter starter;
    private final Clock clock;
    private final Map<SandboxId, LiveSandbox> all = new ConcurrentHashMap<>();

    SandboxReconciler(SandboxRecords records, SandboxRuntime runtime, SandboxStarter starter, Clock clock) {
        this.records = records;
        this.runtime = runtime;
        this.starter = starter;
        this.clock = clock;
    }

    /** Looks after a sandbox from now on; one that is looked after already stays as it is. */
    LiveSandbox take(Sandbox sandbox) {
        LiveSandbox fresh = new LiveSandbox(sandbox);
        LiveSandbox known = all.putIfAbsent(sandbox.id(), fresh);
        if (known != null) {
            return known;
        }
        Thread.ofVirtual().name("sandbox-" + sandbox.id()).start(() -> lookAfter(fresh));
        return fresh;
    }

    Optional<LiveSandbox> find(SandboxId id) {
        return Optional.ofNullable(all.get(id));
    }

    List<LiveSandbox> all() {
        return List.copyOf(all.values());
    }

    int count() {
        return all.size();
    }

    /** Writes down that a sandbox is to end, and lets it. */
    void end(LiveSandbox live, End end) {
        apply(records.requestEnd(live.id(), end));
    }

    /** Lets a sandbox end that is written down to. */
    void apply(Sandbox recorded) {
        if (recorded.state() instanceof SandboxState.Terminating(var end)) {
            find(recorded.id()).ifPresent(live -> live.ending(end));
        }
    }

    private void lookAfter(LiveSandbox live) {
        Duration pause = FIRST_PAUSE;
        while (!live.isReleased()) {
            try {
                step(live);
                pause = FIRST_PAUSE;
            } catch (InterruptedException _) {
                return;
            } catch (RuntimeException failure) {
                LOG.warnf(
                        failure,
                        "sandbox step failed, it is tried again sandboxId=%s state=%s inMs=%d",
                        live.id(),
                        live.current().state().word(),
                        pause.toMillis());
                sleep(pause);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        }
        all.remove(live.id(), live);
    }

    private void step(LiveSandbox live) throws InterruptedException {
        switch (live.current().state()) {
            case SandboxState.Coming _ -> bringUp(live);
            case SandboxState.Running running -> keep(live, running);
            case SandboxState.Terminating ending -> takeDown(live, ending);
            case SandboxState.Ended _ -> {
                starter.release(live.current());
                records.released(live.id());
                live.release();
            }
        }
    }

    /** Starts on a thread of its own, so that a wish to end can stop it. */
    private void bringUp(LiveSandbox live) throws InterruptedException {
        Thread start = Thread.ofVirtual().name("start-" + live.id()).start(() -> start(live));
        var _ = live.await(known -> !(known.current().state() instanceof SandboxState.Coming), FOREVER);
        if (live.current().state() instanceof SandboxState.Terminating) {
            start.interrupt();
        }
        start.join();
    }

    private void start(LiveSandbox live) {
        try {
            starter.start(live);
        } catch (EndRequestedException _) {
            LOG.debugf("start stopped sandboxId=%s", live.id());
        } catch (RuntimeException failure) {
            if (live.current().state() instanceof SandboxState.Live) {
                LOG.warnf(failure, "sandbox does not start sandboxId=%s", live.id());
            }
            endPersistently(live, startFailure(live, failure));
        }
    }

    private static End startFailure(LiveSandbox live, RuntimeException failure) {
        boolean image = failure instanceof PlatformException known && known.code() == ErrorCode.IMAGE_BUILD_FAILED;
        boolean early = !(live.current().state() instanceof SandboxState.Starting);
        String message = failure instanceof PlatformException known && known.code() != ErrorCode.INTERNAL
                ? String.valueOf(known.getMessage())
                : "the sandbox could not be started; the log of the platform says why";
        return new End(image || early ? Cause.IMAGE : Cause.RUNTIME, message);
    }

    /** Without a record of the wish the start would be tried for ever, so the database is waited for. */
    private void endPersistently(LiveSandbox live, End end) {
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                end(live, end);
                return;
            } catch (RuntimeException failure) {
                LOG.warnf(failure, "end cannot be recorded, it is tried again sandboxId=%s", live.id());
                sleep(pause);
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
            }
        }
    }

    /** Watches a running sandbox until it is to end. */
    private void keep(LiveSandbox live, SandboxState.Running running) throws InterruptedException {
        if (live.commands().isEmpty() && !starter.adopt(live)) {
            end(live, new End(Cause.NODE_LOST, "the sandbox was gone when the platform came back"));
            return;
        }
        records.running(live.id(), running, live.current().times().expiresAt());
        Thread watch = Thread.ofVirtual().name("watch-" + live.id()).start(() -> watch(live));
        var _ = live.await(known -> !(known.current().state() instanceof SandboxState.Running), FOREVER);
        watch.interrupt();
        watch.join();
    }

    private void watch(LiveSandbox live) {
        try {
            SandboxRuntime.Exit exit = runtime.awaitExit(live.id());
            if (live.current().state() instanceof SandboxState.Running) {
                endPersistently(
                        live,
                        switch (exit) {
                            case OUT_OF_MEMORY ->
                                new End(
                                        Cause.OOM,
                                        "the memory limit of %d bytes was reached"
                                                .formatted(live.current()
                                                        .spec()
                                                        .resources()
                                                        .memoryBytes()));
                            case GONE -> new End(Cause.RUNTIME, "the processes of the sandbox ended unexpectedly");
                        });
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeDown(LiveSandbox live, SandboxState.Terminating ending) {
        List<MountResult> results = starter.stop(live.current());
        SandboxState.Ended ended = ending.ended(clock.instant());
        records.ended(live.id(), ended, results);
        live.ended(ended, results);
        LOG.infof(
                "sandbox ended sandboxId=%s cause=%s",
                live.id(), ending.end().cause().word());
    }

    private static void sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
