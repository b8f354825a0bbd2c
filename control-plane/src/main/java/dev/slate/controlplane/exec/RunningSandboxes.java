package dev.slate.controlplane.exec;

import dev.slate.common.auth.Caller;
import dev.slate.controlplane.agent.AgentClient;
import dev.slate.controlplane.agent.ExecEvent;
import dev.slate.controlplane.runtime.AgentClients;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.sandbox.Commands;
import dev.slate.controlplane.sandbox.SandboxLookup;
import jakarta.inject.Singleton;
import java.time.Duration;
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
        return new Reached(found.id(), clients.of(found.id(), found.commands().agent()), found.commands());
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

    /** A running sandbox, its agent, and what its commands start with. */
    record Reached(SandboxId id, AgentClient agent, Commands commands) {}
}
