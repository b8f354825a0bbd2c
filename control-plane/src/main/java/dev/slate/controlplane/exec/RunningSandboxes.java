package dev.slate.controlplane.exec;

import dev.slate.common.auth.Caller;
import dev.slate.controlplane.agent.AgentClient;
import dev.slate.controlplane.agent.ExecEvent;
import dev.slate.controlplane.runtime.AgentClients;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.sandbox.Commands;
import dev.slate.controlplane.sandbox.Sandbox;
import dev.slate.controlplane.sandbox.SandboxLookup;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Finds the agents of running sandboxes. Thread-safe. */
@Singleton
class RunningSandboxes {
    /** That soon after its agent is gone the record of a sandbox says why. */
    private static final Duration REASON_LIMIT = Duration.ofSeconds(3);

    private static final Duration REASON_PAUSE = Duration.ofMillis(50);

    private final SandboxLookup lookup;
    private final AgentClients clients;

    RunningSandboxes(SandboxLookup lookup, AgentClients clients) {
        this.lookup = lookup;
        this.clients = clients;
    }

    /** The agent of a sandbox in which the caller may run commands. */
    Reached reach(Caller caller, String reference) {
        SandboxLookup.Found found = lookup.running(caller, reference);
        return new Reached(
                found.id(),
                caller.environment(),
                clients.of(found.id(), found.commands().agent()),
                found.commands());
    }

    /** A sandbox of the caller's, live or not, whose commands the caller may see. */
    Sandbox find(Caller caller, String reference) {
        return lookup.findForCommands(caller, reference);
    }

    Optional<Sandbox> find(SandboxId id) {
        return lookup.find(id);
    }

    /** The agent of a sandbox that runs; empty also while the platform takes the sandbox up. */
    Optional<AgentClient> agent(SandboxId id) {
        return lookup.commands(id).map(commands -> clients.of(id, commands.agent()));
    }

    /** The same, but waits for a running sandbox to be taken up; empty if it does not run. */
    Optional<AgentClient> awaitAgent(Sandbox sandbox) {
        return lookup.awaitCommands(sandbox).map(commands -> clients.of(sandbox.id(), commands.agent()));
    }

    /** Why and when a sandbox ended; empty while it lives. */
    Optional<Over> over(SandboxId id) {
        return lookup.find(id)
                .filter(sandbox -> sandbox.times().endedAt().isPresent())
                .map(sandbox ->
                        new Over(sandbox.describe(), sandbox.times().endedAt().orElseThrow()));
    }

    /** Why a sandbox was lost; waits a little for its record to know, unless there was time enough during the silence. */
    String reason(SandboxId id, String otherwise) {
        long limit = otherwise.equals(ExecEvent.Lost.SILENT) ? 0 : REASON_LIMIT.toNanos();
        long deadline = System.nanoTime() + limit;
        Optional<String> reason = lookup.lost(id);
        while (reason.isEmpty() && System.nanoTime() < deadline) {
            try {
                Thread.sleep(REASON_PAUSE);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return otherwise;
            }
            reason = lookup.lost(id);
        }
        return reason.orElse(otherwise);
    }

    /** Why and when a sandbox ended. */
    record Over(String why, Instant at) {}

    /** A running sandbox, its agent, and what its commands start with. */
    record Reached(SandboxId id, String environment, AgentClient agent, Commands commands) {}
}
