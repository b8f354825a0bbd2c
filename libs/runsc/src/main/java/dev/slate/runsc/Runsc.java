package dev.slate.runsc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Starts, finds and ends gVisor containers of one installation.
 *
 * <p>Thread-safe. Every call blocks and has a time limit; one container must not be started and destroyed at the same
 * time. Nothing here starts a process without gVisor around it.
 */
public final class Runsc {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final File DEV_NULL = new File("/dev/null");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostLayout layout;
    private final RunscBinary binary;
    private final Cgroups cgroups;
    private final Launcher launcher;
    private final RunscState state;
    private final NetworkWorkaround workaround;

    private Runsc(HostLayout layout, RunscBinary binary) throws IOException {
        this.layout = layout;
        this.binary = binary;
        cgroups = new Cgroups(layout);
        launcher = new Launcher(binary, layout);
        state = new RunscState(layout.stateRoot());
        workaround = new NetworkWorkaround(layout, binary);
    }

    /** Prepares the folders of the installation; running containers of an earlier process are left as they are. */
    public static Runsc open(HostLayout layout, RunscBinary binary) {
        try {
            Files.createDirectories(layout.stateRoot());
            Files.createDirectories(layout.bundles());
            Files.createDirectories(layout.emptyFolder());
            return new Runsc(layout, binary);
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    public RunscBinary binary() {
        return binary;
    }

    /**
     * Starts a container in the background and returns when its first process runs; what that prints is discarded.
     *
     * <p>Nothing is left behind when it fails.
     */
    public RunningContainer start(ContainerSpec spec) {
        return start(spec, Redirect.DISCARD);
    }

    /** As {@link #start(ContainerSpec)}, with what the first process prints in a file, however much that is. */
    public RunningContainer start(ContainerSpec spec, Path console) {
        return start(spec, Redirect.appendTo(console.toFile()));
    }

    private RunningContainer start(ContainerSpec spec, Redirect console) {
        prepare(spec);
        try {
            launchDetached(spec, hidesNetworkSettings(spec.network()), console).ifPresent(failure -> {
                throw new RunscException("container " + spec.id() + ": " + failure);
            });
            return find(spec.id())
                    .orElseThrow(() -> new RunscException("container " + spec.id() + ": ended while it was started"));
        } catch (RuntimeException e) {
            destroy(spec.id());
            throw e;
        }
    }

    /** Starts a container whose output goes to {@code output} and whose end can be waited for. */
    public ForegroundContainer run(ContainerSpec spec, OutputConsumer output) {
        prepare(spec);
        try {
            List<String> command = List.of(
                    "run", "--bundle=" + layout.bundle(spec.id()), spec.id().value());
            Process process =
                    builder(spec, hidesNetworkSettings(spec.network()), command).start();
            return new ForegroundContainer(this, spec.id(), process, output);
        } catch (IOException e) {
            destroy(spec.id());
            throw HostCommand.unchecked(e);
        } catch (RuntimeException e) {
            destroy(spec.id());
            throw e;
        }
    }

    /** The containers whose sandbox runs, those of an earlier process of this installation included. */
    public List<RunningContainer> list() {
        return state.ids().stream().map(state::find).flatMap(Optional::stream).toList();
    }

    /** Every container that left something here, running or not: what a sweep has to look at. */
    public List<ContainerId> remains() {
        List<ContainerId> ids = new ArrayList<>(state.ids());
        try (Stream<Path> bundles = Files.list(layout.bundles())) {
            bundles.map(bundle -> new ContainerId(bundle.getFileName().toString()))
                    .forEach(ids::add);
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
        ids.addAll(cgroups.list());
        return ids.stream().distinct().toList();
    }

    /** The container, when its sandbox runs. */
    public Optional<RunningContainer> find(ContainerId id) {
        return state.find(id);
    }

    /** Completes when the sandbox has ended, for whatever cause. */
    public CompletableFuture<Void> onExit(RunningContainer container) {
        return ProcessHandle.of(container.sentry().pid())
                .filter(_ -> container.isAlive())
                .map(handle -> handle.onExit().<Void>thenApply(_ -> null))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /** Sends a signal to the first process of the container; its exit ends the sandbox. */
    public void kill(ContainerId id, String signal) {
        HostCommand.run(binary.path().toString(), "--root=" + layout.stateRoot(), "kill", id.value(), signal);
    }

    /** What the container used, and whether the kernel stopped it; to be read before {@link #destroy}. */
    public CgroupUsage usage(ContainerId id) {
        return cgroups.usage(id);
    }

    /**
     * Ends everything in the container at once and removes what this installation keeps for it.
     *
     * <p>Repeatable, also for a container that never was. Takes milliseconds where {@code runsc delete} takes 1.6 s.
     */
    public void destroy(ContainerId id) {
        killProcesses(id);
        state.remove(id);
        cgroups.remove(id);
        bundle(id).remove();
    }

    void killProcesses(ContainerId id) {
        state.find(id).ifPresent(container -> {
            container.sentry().kill();
            container.gofer().kill();
        });
        cgroups.kill(id);
    }

    /** What the launcher or {@code runsc} itself had to complain about. */
    Optional<String> failureOf(ContainerId id) {
        try {
            String launch = readIfPresent(launcher.launchLog(id)).strip();
            if (!launch.isEmpty()) {
                return Optional.of(launch);
            }
            return readIfPresent(launcher.runscLog(id))
                    .lines()
                    .map(Runsc::parse)
                    .filter(entry -> entry.path("level").asText().equals("error"))
                    .map(entry -> entry.path("msg").asText())
                    .findFirst();
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    private void prepare(ContainerSpec spec) {
        ContainerId id = spec.id();
        if (bundle(id).exists()) {
            throw new RunscException("container " + id + ": exists already");
        }
        try {
            bundle(id).write(spec);
            cgroups.create(id, spec.limits());
        } catch (IOException e) {
            destroy(id);
            throw HostCommand.unchecked(e);
        } catch (RuntimeException e) {
            destroy(id);
            throw e;
        }
    }

    private Bundle bundle(ContainerId id) {
        return new Bundle(layout.bundle(id));
    }

    private boolean hidesNetworkSettings(ContainerNetwork network) {
        return network instanceof ContainerNetwork.Namespace && workaround.needed(this::failureOfEmptyContainer);
    }

    /** A container with an empty root has to fail, but only after its network was set up. */
    private String failureOfEmptyContainer() {
        ContainerId id = new ContainerId("probe-" + layout.tag().value());
        destroy(id);
        ContainerSpec spec = ContainerSpec.of(id, layout.emptyFolder(), List.of("/none"))
                .network(new ContainerNetwork.Unconnected())
                .rootWrites(new RootWrites.ToMemory())
                .build();
        prepare(spec);
        try {
            return launchDetached(spec, false, Redirect.DISCARD).orElse("");
        } finally {
            destroy(id);
        }
    }

    private Optional<String> launchDetached(ContainerSpec spec, boolean hide, Redirect console) {
        ContainerId id = spec.id();
        List<String> command = List.of("run", "--detach", "--bundle=" + layout.bundle(id), id.value());
        try {
            // Files, never pipes: the sandbox keeps these descriptors for its whole life.
            Process process = builder(spec, hide, command)
                    .redirectOutput(console)
                    .redirectError(console)
                    .start();
            if (!process.waitFor(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return Optional.of("did not start within " + START_LIMIT);
            }
            return process.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(failureOf(id).orElse("runsc ended with exit code " + process.exitValue()));
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunscException("container " + id + ": interrupted while it was started", e);
        }
    }

    private ProcessBuilder builder(ContainerSpec spec, boolean hide, List<String> runscCommand) {
        return HostCommand.builder(launcher.command(spec, cgroups.joinFiles(spec.id()), hide, runscCommand))
                .redirectInput(DEV_NULL);
    }

    private static String readIfPresent(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            return JSON.missingNode();
        }
    }
}
