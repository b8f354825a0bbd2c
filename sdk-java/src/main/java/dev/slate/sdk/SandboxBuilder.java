package dev.slate.sdk;

import dev.slate.api.sandbox.v1.CreateSandboxRequest;
import dev.slate.api.sandbox.v1.CredentialBinding;
import dev.slate.api.sandbox.v1.SandboxSpec;
import dev.slate.sdk.internal.Transport;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Describes a sandbox. All parts are optional: without an image it is {@link Image#debianSlim()}, without a network
 * policy the environment's default, and it lives for one hour at most. Not thread-safe.
 */
public final class SandboxBuilder {

    private final Transport transport;
    private final SandboxSpec.Builder spec = SandboxSpec.newBuilder();
    private Optional<Image> image = Optional.of(Image.debianSlim());
    private String requestId = UUID.randomUUID().toString();
    private Progress progress;

    SandboxBuilder(Transport transport, Progress progress) {
        this.transport = transport;
        this.progress = progress;
    }

    /** Unique among the live sandboxes of the environment, and free again after the end. */
    public SandboxBuilder name(String name) {
        spec.setName(name);
        return this;
    }

    public SandboxBuilder image(Image image) {
        this.image = Optional.of(image);
        return this;
    }

    public SandboxBuilder image(BuiltImage image) {
        return imageDigest(image.digest());
    }

    /** {@code sha256:…} of an image that was built before. */
    public SandboxBuilder imageDigest(String digest) {
        this.image = Optional.empty();
        spec.setImageDigest(digest);
        return this;
    }

    public SandboxBuilder volume(VolumeMount mount) {
        spec.addVolumes(dev.slate.api.sandbox.v1.VolumeMount.newBuilder()
                .setVolume(mount.volume())
                .setVersion(mount.version())
                .setPath(mount.path()));
        return this;
    }

    public SandboxBuilder network(NetworkPolicy policy) {
        spec.setNetworkPolicy(policy.message());
        return this;
    }

    /**
     * Gives requests to a host a secret that the sandbox never sees: it gets a placeholder, in a variable called like
     * the secret, and the value takes its place in request headers on the way out. The host becomes reachable.
     */
    public SandboxBuilder credential(String host, String secretName) {
        return credential(host, secretName, secretName);
    }

    public SandboxBuilder credential(String host, String secretName, String variable) {
        spec.addCredentials(CredentialBinding.newBuilder()
                .addHosts(host)
                .setSecret(secretName)
                .setEnv(variable));
        return this;
    }

    public SandboxBuilder cpu(double cpus) {
        return cpu(Double.toString(cpus));
    }

    /** For example {@code 1}, {@code 0.5} or {@code 500m}. */
    public SandboxBuilder cpu(String cpus) {
        spec.setCpuMillis(Quantity.cpuMillis(cpus));
        return this;
    }

    /** For example {@code 512Mi} or {@code 2Gi}. */
    public SandboxBuilder memory(String memory) {
        spec.setMemoryBytes(Quantity.memoryBytes(memory));
        return this;
    }

    /** The most processes and threads. */
    public SandboxBuilder pids(int pids) {
        if (pids < 1) {
            throw new IllegalArgumentException("pids: " + pids + " (expected: 1 or more)");
        }
        spec.setPids(pids);
        return this;
    }

    /** The platform ends the sandbox after this time, whatever happens to this program. */
    public SandboxBuilder lifetime(Duration lifetime) {
        if (lifetime.isNegative() || lifetime.isZero()) {
            throw new IllegalArgumentException("lifetime: " + lifetime + " (expected: more than zero)");
        }
        spec.setLifetime(Wire.duration(lifetime));
        return this;
    }

    public SandboxBuilder env(String name, String value) {
        spec.removeSecretEnv(name).putEnv(name, value);
        return this;
    }

    /** The secret's real value, readable by all that runs inside; {@link #credential} is the safer way. */
    public SandboxBuilder env(String name, Secret secret) {
        spec.removeEnv(name).putSecretEnv(name, secret.name());
        return this;
    }

    public SandboxBuilder tag(String key, String value) {
        spec.putTags(key, value);
        return this;
    }

    /** Where commands start, instead of the image's own. */
    public SandboxBuilder workdir(String path) {
        spec.setWorkdir(path);
        return this;
    }

    /** Makes a repeated {@link #run()} return the sandbox of the first one, also from another process. */
    public SandboxBuilder requestId(String requestId) {
        this.requestId = requestId;
        return this;
    }

    public SandboxBuilder progress(Progress progress) {
        this.progress = progress;
        return this;
    }

    /**
     * Builds the image when it is new, starts the sandbox and returns when commands can run in it.
     *
     * @throws SlateException.SandboxFailed when it ended instead
     */
    public Sandbox run() {
        image.ifPresent(recipe -> spec.setRecipe(ImageRecipe.upload(recipe, transport)));
        var request = CreateSandboxRequest.newBuilder()
                .setRequestId(requestId)
                .setSpec(spec)
                .build();
        return new SandboxStart(transport, progress).run(request);
    }
}
