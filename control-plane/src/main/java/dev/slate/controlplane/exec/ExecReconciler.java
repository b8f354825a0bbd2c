package dev.slate.controlplane.exec;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.agent.AgentClient;
import dev.slate.controlplane.agent.ExecEvent.Lost;
import dev.slate.controlplane.agent.ExecEvent.Terminal;
import dev.slate.controlplane.agent.ExecSummary;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.sandbox.Sandbox;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Makes the records of commands agree with what their sandboxes know. Follows no output: a reader that keeps up would
 * take the pace of a command from its clients. Its loops run on virtual threads until the platform stops.
 */
@Singleton
class ExecReconciler {
    static final String NEVER_STARTED = "the platform stopped before it had started the command";

    private static final Logger LOG = Logger.getLogger(ExecReconciler.class);
    /** After sandboxes were taken up. */
    private static final int LATE = 5100;

    /** As many as an agent runs; one that claims more is not believed. */
    private static final int MOST_RUNNING = 1024;

    private final ExecStore store;
    private final ExecEnds ends;
    private final Attention attention;
    private final RunningSandboxes sandboxes;
    private final ExecConfig config;
    private final Clock clock;
    private final Set<SandboxId> asking = ConcurrentHashMap.newKeySet();
    private final List<Thread> loops = new ArrayList<>();

    ExecReconciler(
            ExecStore store,
            ExecEnds ends,
            Attention attention,
            RunningSandboxes sandboxes,
            ExecConfig config,
            Clock clock) {
        this.store = store;
        this.ends = ends;
        this.attention = attention;
        this.sandboxes = sandboxes;
        this.config = config;
        this.clock = clock;
    }

    void started(@Observes @Priority(LATE) StartupEvent event) {
        loops.add(loop("exec-ends-sweep", config.sweep(), this::sweep));
        loops.add(loop("exec-prune", config.pruneInterval(), this::prune));
    }

    void stopping(@Observes ShutdownEvent event) {
        loops.forEach(Thread::interrupt);
    }

    /** Looks after the commands that no call looks after. A sandbox that does not answer holds up no other. */
    void sweep() {
        store.running().stream()
                .collect(Collectors.groupingBy(ExecKey::sandbox))
                .forEach((sandbox, running) -> {
                    if (!running.stream().allMatch(attention::isHeld) && asking.add(sandbox)) {
                        Thread.ofVirtual().name("execs-" + sandbox).start(() -> {
                            try {
                                settle(sandbox, running);
                            } finally {
                                asking.remove(sandbox);
                            }
                        });
                    }
                });
    }

    /** Brings the records of one sandbox up to date, as far as its agent answers. */
    void settle(SandboxId sandbox) {
        ends.flush();
        settle(sandbox, store.running(sandbox));
        ends.flush();
    }

    private void settle(SandboxId sandbox, List<ExecKey> running) {
        Optional<RunningSandboxes.Over> over = sandboxes.over(sandbox);
        if (over.isPresent()) {
            var loss =
                    new ExecRecord.End(new Lost(0, over.get().why()), over.get().at());
            running.forEach(key -> ends.add(key, loss));
            return;
        }
        Optional<AgentClient> agent = sandboxes.agent(sandbox);
        if (agent.isEmpty()) {
            return;
        }
        try {
            compare(sandbox, agent.get(), running);
        } catch (PlatformException failure) {
            LOG.debugf(failure, "commands cannot be compared sandboxId=%s", sandbox);
        }
    }

    private void compare(SandboxId sandbox, AgentClient agent, List<ExecKey> running) {
        // Asked before the agent is: what no call holds now has been started, or never will be.
        Set<ExecKey> held = running.stream().filter(attention::isHeld).collect(Collectors.toSet());
        Map<String, ExecSummary> known =
                agent.list().stream().collect(Collectors.toMap(ExecSummary::id, Function.identity(), (one, _) -> one));
        for (ExecKey key : running) {
            ExecSummary summary = known.get(key.id());
            if (summary != null && summary.finished()) {
                Terminal end = agent.attach(key.id(), summary.nextSequence() - 1, _ -> {});
                if (!(end instanceof Lost)) {
                    ends.add(key, end);
                }
            } else if (summary == null && !held.contains(key)) {
                ends.add(key, new Lost(1, NEVER_STARTED));
            }
        }
        Set<String> recorded = running.stream().map(ExecKey::id).collect(Collectors.toSet());
        List<ExecSummary> unrecorded = known.values().stream()
                .filter(summary -> !summary.finished() && !recorded.contains(summary.id()))
                .limit(Math.max(0, MOST_RUNNING - running.size()))
                .toList();
        if (!unrecorded.isEmpty()) {
            sandboxes.find(sandbox).ifPresent(found -> unrecorded.forEach(summary -> adopt(found, summary)));
        }
    }

    /** Writes down a command whose record a crash of the database took back. */
    private void adopt(Sandbox sandbox, ExecSummary summary) {
        ExecKey key = new ExecKey(sandbox.id(), summary.id());
        if (store.find(key).isPresent()) {
            return;
        }
        LOG.infof("command without a record is taken up sandboxId=%s execId=%s", sandbox.id(), key.id());
        boolean _ = store.add(new ExecRecord(
                key,
                sandbox.environment(),
                new CommandLine(List.of(summary.command()), true),
                "",
                "",
                "",
                false,
                Optional.empty(),
                clock.instant().minus(summary.age()),
                Optional.empty()));
    }

    private void prune() {
        store.prune(config.keptPerSandbox(), config.keptAfterEnd());
    }

    private static Thread loop(String name, Duration pause, Runnable body) {
        return Thread.ofVirtual().name(name).start(() -> {
            boolean failing = false;
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    body.run();
                    failing = false;
                } catch (RuntimeException failure) {
                    if (!failing) {
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
