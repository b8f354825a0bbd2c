package dev.slate.controlplane.sandbox;

import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Takes up at start what an earlier process left, ends what is past its time, and removes what belongs to no sandbox.
 * Its loops run on virtual threads until the platform stops.
 */
@Singleton
class SandboxSweeps {
    private static final Logger LOG = Logger.getLogger(SandboxSweeps.class);
    /** After the services that sandboxes need. */
    private static final int LATE = 5000;

    private static final int FIRST = 1;

    private final SandboxRecords records;
    private final SandboxReconciler reconciler;
    private final SandboxLifecycle lifecycle;
    private final SandboxPolicies policies;
    private final SandboxRuntime runtime;
    private final EgressGate egress;
    private final VolumeNodes volumes;
    private final SandboxConfig config;
    private final List<Thread> loops = new ArrayList<>();
    private volatile boolean stopping;

    SandboxSweeps(
            SandboxRecords records,
            SandboxReconciler reconciler,
            SandboxLifecycle lifecycle,
            SandboxPolicies policies,
            SandboxRuntime runtime,
            EgressGate egress,
            VolumeNodes volumes,
            SandboxConfig config) {
        this.records = records;
        this.reconciler = reconciler;
        this.lifecycle = lifecycle;
        this.policies = policies;
        this.runtime = runtime;
        this.egress = egress;
        this.volumes = volumes;
        this.config = config;
    }

    void started(@Observes @Priority(LATE) StartupEvent event) {
        adopt();
        loops.add(loop("sandbox-expiry", config.expirySweep(), this::endExpired));
        loops.add(loop("sandbox-grants", config.expirySweep(), policies::endGrants));
        loops.add(loop("sandbox-leaks", config.leakSweep(), this::removeLeaks));
    }

    void stopping(@Observes @Priority(FIRST) ShutdownEvent event) {
        lifecycle.close();
        stopping = true;
        loops.forEach(Thread::interrupt);
        if (!config.keepRunning()) {
            endAll();
        }
    }

    /** Looks after everything that is written down as not yet gone. */
    void adopt() {
        records.unreleased().forEach(sandbox -> {
            LiveSandbox live = reconciler.take(sandbox);
            LOG.infof(
                    "sandbox taken up sandboxId=%s state=%s",
                    live.id(), live.current().state().word());
        });
    }

    void endExpired() {
        records.endExpired().forEach(reconciler::apply);
    }

    /** What exists is listed first and compared with the sandboxes then: a new one is known before it has anything. */
    void removeLeaks() {
        Set<SandboxId> running = runtime.list();
        Set<String> atProxy = egress.list();
        List<VolumeNodes.Mounted> mounted = volumes.mounted();
        running.stream().filter(id -> isUnknown(id.value())).forEach(id -> {
            LOG.warnf("remains of an unknown sandbox are removed sandboxId=%s", id);
            runtime.kill(id);
            runtime.remove(id);
        });
        atProxy.stream()
                .filter(id -> SandboxId.isOne(id) && isUnknown(id))
                .forEach(id -> egress.remove(new SandboxId(id)));
        mounted.stream().filter(mount -> isUnknown(mount.sandbox())).forEach(mount -> {
            LOG.warnf(
                    "mount of an unknown sandbox is sealed mountId=%s sandboxId=%s", mount.mountId(), mount.sandbox());
            volumes.salvage(mount);
        });
    }

    private boolean isUnknown(String id) {
        return !SandboxId.isOne(id) || reconciler.find(new SandboxId(id)).isEmpty();
    }

    private void endAll() {
        List<LiveSandbox> live = reconciler.all();
        End end = new End(Cause.PLATFORM, "the platform was shut down");
        long deadline = System.nanoTime() + config.shutdownLimit().toNanos();
        try (Together together = new Together()) {
            live.forEach(sandbox -> together.start(() -> {
                reconciler.end(sandbox, end);
                Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
                if (!sandbox.await(LiveSandbox::isReleased, left)) {
                    LOG.warnf("sandbox did not end in time, the next start ends it sandboxId=%s", sandbox.id());
                }
                return true;
            }));
            together.join();
        }
    }

    private Thread loop(String name, Duration pause, Runnable body) {
        return Thread.ofVirtual().name(name).start(() -> {
            boolean failing = false;
            while (!stopping) {
                try {
                    body.run();
                    failing = false;
                } catch (RuntimeException failure) {
                    if (!failing && !stopping) {
                        LOG.warnf(failure, "%s fails, it goes on trying", name);
                    }
                    failing = true;
                }
                try {
                    Thread.sleep(pause);
                } catch (InterruptedException _) {
                    return;
                }
            }
        });
    }
}
