package dev.slate.controlplane.sandbox;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.id.IdSource;
import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.policy.NetworkPolicyProto;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime.SandboxNetwork;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Makes what a sandbox may reach, and the secrets it may use there, true at the proxy. Thread-safe. */
@Singleton
class SandboxEgress {
    private static final String PLACEHOLDER = "__slate-secret-";
    private static final int PLACEHOLDER_BYTES = 16;

    private final EgressGate gate;
    private final SecretSource secrets;
    private final IdSource ids;

    SandboxEgress(EgressGate gate, SecretSource secrets, IdSource ids) {
        this.gate = gate;
        this.secrets = secrets;
        this.ids = ids;
    }

    /** Fresh placeholders, by variable: they stay the same for the life of the sandbox. */
    Map<String, String> placeholders(SandboxSpec spec) {
        Map<String, String> made = new LinkedHashMap<>();
        spec.credentials().forEach(binding -> made.put(binding.variable(), PLACEHOLDER + ids.hex(PLACEHOLDER_BYTES)));
        return made;
    }

    /** The specification with its policy and hosts in canonical form; what is wrong in them is refused. */
    SandboxSpec checked(SandboxSpec spec) {
        if (spec.policy().isEmpty() && spec.credentials().isEmpty()) {
            return spec;
        }
        EgressGate.Checked checked = gate.check(
                spec.policy().orElse(NetworkPolicy.shippedDefault()),
                spec.credentials().stream()
                        .flatMap(binding -> binding.hosts().stream())
                        .toList());
        Iterator<String> hosts = checked.credentialHosts().iterator();
        List<CredentialBinding> credentials = spec.credentials().stream()
                .map(binding -> binding.at(
                        binding.hosts().stream().map(_ -> hosts.next()).toList()))
                .toList();
        return spec.with(spec.policy().map(_ -> checked.policy()), credentials);
    }

    /** A policy in canonical form; what is wrong in it is refused. */
    NetworkPolicy checked(NetworkPolicy policy) {
        return gate.check(policy, List.of()).policy();
    }

    /** Refuses a specification that names a secret which does not exist. */
    void requireSecrets(String environment, SandboxSpec spec) {
        requireSecrets(
                environment,
                Stream.of(
                                spec.variables().secrets().values().stream(),
                                spec.credentials().stream().map(CredentialBinding::secret),
                                spec.policy().stream().flatMap(policy -> NetworkPolicyProto.secrets(policy).stream()))
                        .flatMap(names -> names));
    }

    /** Refuses names of secrets that do not exist. */
    void requireSecrets(String environment, Stream<String> names) {
        names.distinct()
                .filter(name -> secrets.reveal(environment, name).isEmpty())
                .findFirst()
                .ifPresent(name -> {
                    throw new PlatformException(
                            ErrorCode.FAILED_PRECONDITION,
                            "secret: %s (expected: a secret of this environment; set it with `slate secret set %s`)"
                                    .formatted(name, name));
                });
    }

    /** The real values that a sandbox gets in its environment. */
    Map<String, SecretValue> secretVariables(Sandbox sandbox) {
        Map<String, SecretValue> values = new HashMap<>();
        sandbox.spec()
                .variables()
                .secrets()
                .forEach((variable, name) ->
                        secrets.reveal(sandbox.environment(), name).ifPresent(value -> values.put(variable, value)));
        return values;
    }

    /** Puts the newest policy of a sandbox in force and returns its generation when it is. */
    long enforce(LiveSandbox live, SandboxNetwork network) {
        live.policyLock().lock();
        try {
            Sandbox sandbox = live.current();
            var withPlaceholders = NetworkPolicyProto.withPlaceholders(
                    sandbox.effectivePolicy().policy(), () -> PLACEHOLDER + ids.hex(PLACEHOLDER_BYTES));
            gate.put(new EgressGate.Entry(
                    sandbox.id(),
                    network.address(),
                    sandbox.policy().generation(),
                    withPlaceholders.policy(),
                    Stream.concat(
                                    credentials(sandbox),
                                    withPlaceholders.secrets().stream().map(header -> credential(sandbox, header)))
                            .toList()));
            return sandbox.policy().generation();
        } finally {
            live.policyLock().unlock();
        }
    }

    void remove(SandboxId id) {
        gate.remove(id);
    }

    EgressGate.Trust trust() {
        return gate.trust();
    }

    /** A secret in a header that the policy sets is one more credential, whose placeholder no sandbox holds. */
    private EgressGate.Credential credential(Sandbox sandbox, NetworkPolicyProto.HeaderSecret header) {
        return new EgressGate.Credential(
                header.secret(),
                header.placeholder(),
                List.of(header.host()),
                secrets.reveal(sandbox.environment(), header.secret()));
    }

    private Stream<EgressGate.Credential> credentials(Sandbox sandbox) {
        return sandbox.spec().credentials().stream()
                .map(binding -> new EgressGate.Credential(
                        binding.secret(),
                        String.valueOf(sandbox.placeholders().get(binding.variable())),
                        binding.hosts(),
                        secrets.reveal(sandbox.environment(), binding.secret())));
    }
}
