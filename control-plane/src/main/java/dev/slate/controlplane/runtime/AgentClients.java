package dev.slate.controlplane.runtime;

import dev.slate.controlplane.agent.AgentClient;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The open connections to the agents of running sandboxes, one client each. Thread-safe. */
@Singleton
public class AgentClients {
    private final Map<SandboxId, AgentClient> clients = new ConcurrentHashMap<>();

    /** The client of a sandbox; made on first use. */
    public AgentClient of(SandboxId id, AgentAddress address) {
        return clients.computeIfAbsent(id, _ -> new AgentClient(address.host(), address.port(), address.token()));
    }

    /** Ends every call in progress: the sandbox has ended. */
    public void close(SandboxId id) {
        AgentClient client = clients.remove(id);
        if (client != null) {
            client.close();
        }
    }
}
