package dev.slate.controlplane.sandbox;

import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.runtime.AgentAddress;
import java.util.HashMap;
import java.util.Map;

/** What a command in a running sandbox needs: the agent that runs it, and what it starts with. */
public record Commands(
        AgentAddress agent, Map<String, String> plain, Map<String, SecretValue> secret, String workdir, String user) {
    public Commands {
        plain = Map.copyOf(plain);
        secret = Map.copyOf(secret);
    }

    /** The environment of one command: the sandbox's, then its own. */
    public Map<String, String> environment(Map<String, String> own) {
        Map<String, String> all = new HashMap<>(plain);
        secret.forEach((name, value) -> all.put(name, value.revealText()));
        all.putAll(own);
        return all;
    }
}
