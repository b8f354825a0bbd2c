package dev.slate.controlplane.sandbox;

import dev.slate.common.secret.SecretValue;
import dev.slate.controlplane.runtime.AgentAddress;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime;
import dev.slate.controlplane.runtime.SandboxRuntime.SandboxNetwork;
import dev.slate.controlplane.runtime.Workload;
import dev.slate.controlplane.sandbox.ImageSupply.PreparedImage;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;

/**
 * Puts a sandbox together and takes it apart. Every step may be repeated after a crash at any line: names and ids follow
 * from the record, and what is there already is used or replaced. Thread-safe.
 */
@Singleton
class SandboxStarter {
    private static final Logger LOG = Logger.getLogger(SandboxStarter.class);

    private final SandboxRecords records;
    private final SandboxRuntime runtime;
    private final ImageSupply images;
    private final VolumeNodes volumes;
    private final SandboxEgress egress;
    private final Clock clock;

    SandboxStarter(
            SandboxRecords records,
            SandboxRuntime runtime,
            ImageSupply images,
            VolumeNodes volumes,
            SandboxEgress egress,
            Clock clock) {
        this.records = records;
        this.runtime = runtime;
        this.images = images;
        this.volumes = volumes;
        this.egress = egress;
        this.clock = clock;
    }

    /** Refuses what cannot work, before anything is written down. */
    void check(String environment, SandboxSpec spec) {
        runtime.check(spec.resources());
        egress.requireSecrets(environment, spec);
    }

    /** Brings a sandbox from wherever it is to running. */
    void start(LiveSandbox live) {
        long begin = System.nanoTime();
        String digest = resolveImage(live);
        long resolved = System.nanoTime();
        Sandbox sandbox = live.move(SandboxState.Coming.class, state -> state.starting(digest));
        SandboxId id = sandbox.id();
        Commands commands;
        long prepared;
        try (Together together = new Together()) {
            Future<PreparedImage> image = together.run(() -> images.prepare(digest));
            Future<EgressGate.Trust> trust = together.run(egress::trust);
            Future<Map<String, SecretValue>> secrets = together.run(() -> egress.secretVariables(sandbox));
            List<Future<Workload.Volume>> mounts = sandbox.spec().volumes().stream()
                    .map(volume ->
                            together.run(() -> new Workload.Volume(volumes.mount(sandbox, volume), volume.path())))
                    .toList();
            Future<SandboxNetwork> network = together.run(() -> {
                SandboxNetwork connected = runtime.connect(id);
                egress.enforce(live, connected);
                return connected;
            });
            together.join();
            prepared = System.nanoTime();
            AgentAddress agent = runtime.start(new Workload(
                    id,
                    Together.get(network),
                    hostname(sandbox),
                    Together.get(image).layers(),
                    mounts.stream().map(Together::get).toList(),
                    Together.get(trust).files(),
                    sandbox.spec().resources(),
                    workdir(sandbox, Together.get(image))));
            commands = commands(sandbox, agent, Together.get(image), Together.get(trust), Together.get(secrets));
        }
        live.attach(commands);
        // The record follows later: clients may go on already.
        var _ = live.move(SandboxState.Starting.class, state -> state.ready(clock.instant()));
        LOG.infof(
                "sandbox running sandboxId=%s imageMs=%d preparedMs=%d startedMs=%d",
                id, millis(resolved - begin), millis(prepared - resolved), millis(System.nanoTime() - prepared));
    }

    /** Takes up a sandbox that an earlier process started; false when it is gone. */
    boolean adopt(LiveSandbox live) {
        Sandbox sandbox = live.current();
        Optional<AgentAddress> agent = runtime.find(sandbox.id());
        if (agent.isEmpty()) {
            return false;
        }
        egress.enforce(live, runtime.connect(sandbox.id()));
        PreparedImage image = images.prepare(sandbox.imageDigest().orElseThrow());
        live.attach(commands(sandbox, agent.get(), image, egress.trust(), egress.secretVariables(sandbox)));
        LOG.infof("sandbox adopted sandboxId=%s", sandbox.id());
        return true;
    }

    /** Ends all processes, cuts the connections and commits the volumes. */
    List<MountResult> stop(Sandbox sandbox) {
        try (Together together = new Together()) {
            Future<Boolean> cut = together.run(() -> {
                egress.remove(sandbox.id());
                return true;
            });
            runtime.kill(sandbox.id());
            List<Future<Optional<MountResult>>> seals = sandbox.spec().volumes().stream()
                    .map(volume -> together.run(() -> volumes.seal(sandbox.id(), volume)))
                    .toList();
            var _ = Together.get(cut);
            return seals.stream().map(Together::get).flatMap(Optional::stream).toList();
        }
    }

    /** Frees what a stopped sandbox still has on this node. */
    void release(Sandbox sandbox) {
        runtime.remove(sandbox.id());
    }

    private String resolveImage(LiveSandbox live) {
        Sandbox sandbox = live.current();
        return images.resolve(sandbox.environment(), sandbox.spec().image(), event -> {
            if (live.current().state() instanceof SandboxState.Pending) {
                var _ = live.move(SandboxState.Coming.class, SandboxState.Coming::building);
                records.building(sandbox.id());
            }
            live.progress(event);
        });
    }

    /** Later entries win: what the image sets, trust, what the user sets, secrets, placeholders. */
    private static Commands commands(
            Sandbox sandbox,
            AgentAddress agent,
            PreparedImage image,
            EgressGate.Trust trust,
            Map<String, SecretValue> secrets) {
        Map<String, String> environment = new HashMap<>(image.env());
        trust.variables().forEach(environment::putIfAbsent);
        environment.putAll(sandbox.spec().variables().plain());
        environment.putAll(sandbox.placeholders());
        return new Commands(agent, environment, secrets, workdir(sandbox, image), image.user());
    }

    private static String workdir(Sandbox sandbox, PreparedImage image) {
        if (sandbox.spec().workdir().isPresent()) {
            return sandbox.spec().workdir().get();
        }
        // What a registry's image says is untrusted input.
        String path = "/" + image.workdir().replaceAll("^/+|/+$", "");
        SandboxPaths.requireAbsolute("workdir of the image", path);
        return path;
    }

    private static String hostname(Sandbox sandbox) {
        return sandbox.spec().name().map(SandboxName::value).orElse("sandbox");
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }
}
