package dev.slate.controlplane.sandbox;

import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.SandboxId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The egress proxy as sandboxes need it. Thread-safe. */
interface EgressGate {
    /** Puts a policy and its credentials in force; returns when they are. */
    void put(Entry entry);

    /**
     * The canonical form of a policy and of hosts of credentials.
     *
     * @throws dev.slate.common.error.PlatformException with what is wrong in them
     */
    Checked check(NetworkPolicy policy, List<String> credentialHosts);

    /** Cuts all connections of a sandbox and lets nothing through any more; repeatable. */
    void remove(SandboxId id);

    /** The ids that the proxy lets through. */
    Set<String> list();

    /** What makes clients in a sandbox trust the proxy. */
    Trust trust();

    /** What is in force for one sandbox. */
    record Entry(SandboxId id, String address, long generation, NetworkPolicy policy, List<Credential> credentials) {
        public Entry {
            credentials = List.copyOf(credentials);
        }
    }

    /** A secret that is swapped in for a placeholder; empty when the secret is gone. */
    record Credential(String secret, String placeholder, List<String> hosts, Optional<SecretValue> value) {
        public Credential {
            hosts = List.copyOf(hosts);
        }
    }

    /** A policy and hosts as the proxy matches them, the hosts in the order they were given. */
    record Checked(NetworkPolicy policy, List<String> credentialHosts) {
        public Checked {
            credentialHosts = List.copyOf(credentialHosts);
        }
    }

    /** Files of this node, by the path that a sandbox sees them at, and variables that point there. */
    record Trust(Map<String, Path> files, Map<String, String> variables) {
        public Trust {
            files = Map.copyOf(files);
            variables = Map.copyOf(variables);
        }
    }
}
