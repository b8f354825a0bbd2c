package dev.slate.controlplane.runtime.local;

import dev.slate.agent.AgentBinary;
import dev.slate.common.config.HomeConfig;
import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.id.IdSource;
import dev.slate.controlplane.runtime.AgentAddress;
import dev.slate.controlplane.runtime.AgentClients;
import dev.slate.controlplane.runtime.Resources;
import dev.slate.controlplane.runtime.SandboxId;
import dev.slate.controlplane.runtime.SandboxRuntime;
import dev.slate.controlplane.runtime.Workload;
import dev.slate.runsc.BindMount;
import dev.slate.runsc.CgroupUsage;
import dev.slate.runsc.ContainerSpec;
import dev.slate.runsc.HostLayout;
import dev.slate.runsc.Mounts;
import dev.slate.runsc.NetworkSlot;
import dev.slate.runsc.OverlayMount;
import dev.slate.runsc.ResourceLimits;
import dev.slate.runsc.RootWrites;
import dev.slate.runsc.RunningContainer;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Runs each sandbox as one gVisor container of its own: the agent is its first process, its root is the image's layers
 * under one layer of ours, its writes go to a file without a name. Thread-safe.
 */
@Startup
@Singleton
class LocalRuntime implements SandboxRuntime {
    private static final int AGENT_PORT = 61_234;
    private static final int TOKEN_BYTES = 32;
    private static final int NO_LIMIT = 0;
    private static final Duration READY_LIMIT = Duration.ofSeconds(60);
    private static final String SYSTEM_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
    private static final String TRUST_BUNDLE = "/.slate/ca-bundle.pem";

    private final Path home;
    private final Path agentProgram;
    private final LocalHost host;
    private final AgentClients clients;
    private final IdSource ids;
    private final ExitWatch exits = new ExitWatch();
    /** More boots at once than this only make all of them slower, and everything else on the machine too. */
    private final Semaphore boots = new Semaphore(2 * Runtime.getRuntime().availableProcessors(), true);

    LocalRuntime(HomeConfig config, NetworkConfig network, AgentClients clients, IdSource ids) {
        this.home = config.home().toAbsolutePath().normalize();
        this.clients = clients;
        this.ids = ids;
        this.host = LocalHost.open(HostLayout.of(home), network);
        AgentBinary agent = AgentBinary.load();
        this.agentProgram = SandboxFolder.all(home).resolve("agent-" + agent.version());
        if (!Files.exists(agentProgram)) {
            agent.copyTo(agentProgram);
        }
    }

    /** The networks of this host, for build steps as well: there is one firewall and one numbering. */
    @Produces
    @Singleton
    dev.slate.runsc.SandboxNetwork networks() {
        return host.network();
    }

    @PreDestroy
    void stop() {
        exits.close();
        host.network().close();
        if (host.runsc().list().isEmpty()) {
            new LocalCleanup(home).run();
        }
    }

    @Override
    public void check(Resources resources) {
        host.check(resources);
    }

    @Override
    public SandboxNetwork connect(SandboxId id) {
        SandboxFolder folder = SandboxFolder.of(home, id);
        OptionalInt known = folder.slot();
        NetworkSlot slot = known.isPresent()
                ? host.network().slot(known.getAsInt())
                : host.network().acquire();
        if (known.isEmpty()) {
            folder.writeSlot(slot.number());
        }
        return new SandboxNetwork(
                slot.sandboxAddress().getHostAddress(), slot.hostAddress().getHostAddress());
    }

    @Override
    public AgentAddress start(Workload workload) {
        SandboxId id = workload.id();
        SandboxFolder folder = SandboxFolder.of(home, id);
        kill(id);
        try {
            folder.unmount();
            SandboxFolder.removeTree(folder.ownLayer());
            folder.make();
            folder.writeToken(ids.hex(TOKEN_BYTES));
            fillOwnLayer(folder, workload);
            List<Path> layers = new ArrayList<>(List.of(folder.ownLayer()));
            layers.addAll(workload.image().directories());
            Mounts.overlay(OverlayMount.readOnly(layers), folder.root());
        } catch (IOException failure) {
            throw new UncheckedIOException("root of sandbox " + id, failure);
        }
        try {
            boots.acquire();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PlatformException(
                    ErrorCode.CANCELLED, "interrupted before sandbox " + id + " booted", interrupted);
        }
        try {
            return boot(folder, workload);
        } finally {
            boots.release();
        }
    }

    private AgentAddress boot(SandboxFolder folder, Workload workload) {
        SandboxId id = workload.id();
        RunningContainer container = host.runsc().start(containerSpec(folder, workload));
        var _ = exits.watch(id, container).thenRun(() -> clients.close(id));
        AgentAddress agent = address(folder).orElseThrow();
        var _ = clients.of(id, agent).awaitReady(READY_LIMIT);
        // gVisor boots on all processors; from here on, before the first command, the limit holds.
        host.groups()
                .create(
                        folder.container(),
                        limits(workload.resources(), workload.resources().cpuMillis()));
        return agent;
    }

    @Override
    public Optional<AgentAddress> find(SandboxId id) {
        SandboxFolder folder = SandboxFolder.of(home, id);
        return host.runsc().find(folder.container()).flatMap(_ -> address(folder));
    }

    @Override
    public Exit awaitExit(SandboxId id) throws InterruptedException {
        SandboxFolder folder = SandboxFolder.of(home, id);
        Optional<RunningContainer> container = host.runsc().find(folder.container());
        if (container.isPresent()) {
            try {
                var _ = exits.watch(id, container.get()).get();
            } catch (ExecutionException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        clients.close(id);
        return host.runsc().usage(folder.container()).outOfMemoryKills() > 0 ? Exit.OUT_OF_MEMORY : Exit.GONE;
    }

    @Override
    public void kill(SandboxId id) {
        clients.close(id);
        host.runsc().destroy(SandboxFolder.of(home, id).container());
        exits.forget(id);
    }

    @Override
    public void remove(SandboxId id) {
        SandboxFolder folder = SandboxFolder.of(home, id);
        folder.unmount();
        folder.slot().ifPresent(number -> host.network().release(host.network().slot(number)));
        folder.remove();
    }

    @Override
    public Set<SandboxId> list() {
        Set<SandboxId> found = new HashSet<>(SandboxFolder.ids(home));
        host.runsc().remains().stream()
                .map(SandboxFolder::sandboxOf)
                .flatMap(Optional::stream)
                .forEach(found::add);
        return found;
    }

    @Override
    public Usage usage(SandboxId id) {
        CgroupUsage usage = host.runsc().usage(SandboxFolder.of(home, id).container());
        return new Usage(usage.cpuNanos(), usage.memoryBytes(), usage.tasks());
    }

    private void fillOwnLayer(SandboxFolder folder, Workload workload) throws IOException {
        OwnLayer layer = new OwnLayer(folder.ownLayer(), workload.image().directories());
        String address = workload.network().address();
        layer.write("/etc/resolv.conf", "nameserver " + workload.network().gateway() + "\n", "rw-r--r--");
        layer.write("/etc/hostname", workload.hostname() + "\n", "rw-r--r--");
        layer.write(
                "/etc/hosts",
                "127.0.0.1 localhost\n::1 localhost\n%s %s\n".formatted(address, workload.hostname()),
                "rw-r--r--");
        layer.write("/.slate/token", folder.token().orElseThrow().revealText(), "rw-------");
        layer.link("/.slate/agent", agentProgram);
        for (Map.Entry<String, Path> file : workload.files().entrySet()) {
            layer.link(file.getKey(), file.getValue());
        }
        Path bundle = workload.files().get(TRUST_BUNDLE);
        if (bundle != null && layer.imageHasFile(SYSTEM_BUNDLE)) {
            layer.link(SYSTEM_BUNDLE, bundle);
        }
        for (Workload.Volume volume : workload.volumes()) {
            layer.folder(volume.path());
        }
        layer.folder(workload.workdir());
        Files.setPosixFilePermissions(
                folder.ownLayer(), java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ContainerSpec containerSpec(SandboxFolder folder, Workload workload) {
        ContainerSpec.Builder spec = ContainerSpec.of(
                        folder.container(),
                        folder.root(),
                        List.of("/.slate/agent", "--port", "" + AGENT_PORT, "--token-file", "/.slate/token"))
                .hostname(workload.hostname())
                .network(host.network().slot(folder.slot().orElseThrow()).containerNetwork())
                .limits(limits(workload.resources(), NO_LIMIT))
                .rootWrites(new RootWrites.ToFile(folder.scratch()));
        workload.volumes().forEach(volume -> spec.mount(BindMount.writable(volume.directory(), volume.path())));
        return spec.build();
    }

    private static ResourceLimits limits(Resources resources, int cpuMillis) {
        return new ResourceLimits(cpuMillis, resources.memoryBytes(), resources.pids());
    }

    private Optional<AgentAddress> address(SandboxFolder folder) {
        OptionalInt slot = folder.slot();
        if (slot.isEmpty()) {
            return Optional.empty();
        }
        String address = host.network().slot(slot.getAsInt()).sandboxAddress().getHostAddress();
        return folder.token().map(token -> new AgentAddress(address, AGENT_PORT, token));
    }
}
