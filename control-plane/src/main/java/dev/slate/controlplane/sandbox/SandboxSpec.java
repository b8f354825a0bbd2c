package dev.slate.controlplane.sandbox;

import dev.slate.common.error.PlatformException;
import dev.slate.controlplane.policy.NetworkPolicy;
import dev.slate.controlplane.runtime.Resources;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What a user asked for. Nothing in it changes afterwards, except that the policy can be replaced. */
public record SandboxSpec(
        Optional<SandboxName> name,
        ImageSource image,
        List<VolumeMount> volumes,
        Optional<NetworkPolicy> policy,
        List<CredentialBinding> credentials,
        Variables variables,
        Resources resources,
        Duration lifetime,
        Map<String, String> tags,
        Optional<String> workdir) {
    /** How long a sandbox lives that does not say otherwise. */
    public static final Duration DEFAULT_LIFETIME = Duration.ofHours(1);

    private static final int MOST_TAGS = 64;
    private static final int MOST_VOLUMES = 16;

    public SandboxSpec {
        volumes = List.copyOf(volumes);
        credentials = List.copyOf(credentials);
        tags = Map.copyOf(tags);
        if (lifetime.compareTo(Duration.ofSeconds(1)) < 0) {
            throw PlatformException.invalid("lifetime", lifetime, "1 second or more");
        }
        if (tags.size() > MOST_TAGS) {
            throw PlatformException.invalid("tags", tags.size() + " tags", "at most 64");
        }
        if (volumes.size() > MOST_VOLUMES) {
            throw PlatformException.invalid("volumes", volumes.size() + " volumes", "at most 16");
        }
        workdir.ifPresent(path -> SandboxPaths.requireAbsolute("workdir", path));
        requireApart(volumes);
        requireDistinct(credentials, variables);
    }

    /** Hosts of credentials, each with the secret that is bound to it. */
    Map<String, String> credentialHosts() {
        Map<String, String> hosts = new TreeMap<>();
        credentials.forEach(binding -> binding.hosts()
                .forEach(host -> hosts.merge(host, binding.secret(), (one, other) -> one + ", " + other)));
        return hosts;
    }

    /** The same with another policy and other credentials. */
    SandboxSpec with(Optional<NetworkPolicy> otherPolicy, List<CredentialBinding> otherCredentials) {
        return new SandboxSpec(
                name, image, volumes, otherPolicy, otherCredentials, variables, resources, lifetime, tags, workdir);
    }

    private static void requireApart(List<VolumeMount> volumes) {
        for (int i = 0; i < volumes.size(); i++) {
            for (VolumeMount earlier : volumes.subList(0, i)) {
                String path = volumes.get(i).path();
                if (SandboxPaths.overlap(path, earlier.path())) {
                    throw PlatformException.invalid(
                            "volume path", path, "a path that is not at, above or below " + earlier.path());
                }
            }
        }
    }

    private static void requireDistinct(List<CredentialBinding> credentials, Variables variables) {
        Set<String> taken = new HashSet<>(variables.plain().keySet());
        taken.addAll(variables.secrets().keySet());
        for (CredentialBinding binding : credentials) {
            if (!taken.add(binding.variable())) {
                throw PlatformException.invalid("credential variable", binding.variable(), "a variable set only once");
            }
        }
    }

    /** Environment of the commands: plain values, and variables that hold the real value of a secret. */
    public record Variables(Map<String, String> plain, Map<String, String> secrets) {
        public Variables {
            plain = Map.copyOf(plain);
            secrets = Map.copyOf(secrets);
            plain.forEach((name, value) -> {
                VariableName.require("env", name);
                VariableName.requireValue(name, value);
            });
            for (Map.Entry<String, String> entry : secrets.entrySet()) {
                VariableName.require("secret env", entry.getKey());
                VariableName.require("secret", entry.getValue());
                if (plain.containsKey(entry.getKey())) {
                    throw PlatformException.invalid("secret env", entry.getKey(), "a variable that env does not set");
                }
            }
        }
    }
}
