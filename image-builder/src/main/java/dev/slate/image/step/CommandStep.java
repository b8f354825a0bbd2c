package dev.slate.image.step;

import dev.slate.common.error.ErrorCode;
import dev.slate.common.error.PlatformException;
import dev.slate.common.id.IdSource;
import dev.slate.image.config.ImageFolders;
import dev.slate.image.layout.LayerBlobs;
import dev.slate.image.layout.LayerDirectories;
import dev.slate.image.layout.LowerView;
import dev.slate.image.layout.RuntimeConfig;
import dev.slate.image.progress.Progress;
import dev.slate.image.recipe.Step;
import dev.slate.runsc.BindMount;
import dev.slate.runsc.Completion;
import dev.slate.runsc.RunscException;
import dev.slate.tree.BodySink;
import dev.slate.tree.BodySource;
import dev.slate.tree.Changes;
import dev.slate.tree.OverlayScanner;
import dev.slate.tree.ScanLimits;
import dev.slate.tree.TreeException;
import dev.slate.tree.layer.Layer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Runs one command on top of layers, in a sandbox, and makes a layer of what it changed. Thread-safe. */
@Singleton
public class CommandStep {
    /** Containers of builds, so that a sweep can tell them from sandboxes. */
    public static final String ID_PREFIX = "build-";

    private static final List<String> SANDBOX_MOUNTS = List.of("/proc", "/sys", "/dev/shm");

    private final ImageFolders folders;
    private final LayerDirectories directories;
    private final LayerBlobs layers;
    private final BuildNetwork network;
    private final StepSandbox sandbox;
    private final IdSource ids;
    private final Clock clock;

    public CommandStep(
            ImageFolders folders,
            LayerDirectories directories,
            LayerBlobs layers,
            BuildNetwork network,
            StepSandbox sandbox,
            IdSource ids,
            Clock clock) {
        this.folders = folders;
        this.directories = directories;
        this.layers = layers;
        this.network = network;
        this.sandbox = sandbox;
        this.ids = ids;
        this.clock = clock;
    }

    /**
     * A command and what it runs on.
     *
     * @param number of the step, for messages
     * @param below the lowest first
     */
    public record Run(int number, Step.Command step, List<Layer> below, RuntimeConfig config) {
        public Run {
            below = List.copyOf(below);
        }
    }

    /** The layer; its blob is in the layout. Blocks until the command has ended. */
    public Layer make(Run run, Progress progress) {
        List<Path> lowers = directories.prepare(run.below());
        try (StepRoot root = StepRoot.mount(folders, lowers);
                LowerView lower = LowerView.of(folders, lowers)) {
            Instant start = clock.instant().truncatedTo(ChronoUnit.SECONDS);
            List<String> mountPoints = execute(run, root, progress);
            root.unmount();
            for (String target : mountPoints) {
                MountPoints.remove(root.upper(), lower.lower(), target);
            }
            Changes changes = OverlayScanner.scan(root.upper(), BodySink.digestOnly(), ScanLimits.DEFAULT)
                    .withoutNoOps(lower.lower())
                    .withExplicitDeletes(lower.lower());
            return layers.write(changes, BodySource.directory(root.upper()), start);
        } catch (TreeException e) {
            throw failed(run, "its files do not fit into a layer: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("layer of step " + run.number(), e);
        }
    }

    private List<String> execute(Run run, StepRoot root, Progress progress) {
        String id = ID_PREFIX + ids.uuid();
        OutputTail tail = new OutputTail();
        try (BuildNetwork.Connection connection = network.connect(id)) {
            StepSandbox.Command command = new StepSandbox.Command(
                    id, root.root(), arguments(run), run.config().env());
            Completion completion = sandbox.run(command, connection, output -> {
                tail.add(output);
                progress.log(run.number(), output);
            });
            check(run, completion, tail);
            List<String> mountPoints = new ArrayList<>(SANDBOX_MOUNTS);
            connection.mounts().stream().map(BindMount::target).forEach(mountPoints::add);
            return mountPoints;
        } catch (RunscException e) {
            throw failed(run, "the sandbox does not start: " + e.getMessage(), e);
        }
    }

    /** The folder is made inside the sandbox: on the host a link in the image could lead anywhere. */
    private static List<String> arguments(Run run) {
        String workdir = run.config().workdir();
        return workdir.isEmpty()
                ? List.of("/bin/sh", "-c", run.step().command())
                : List.of(
                        "/bin/sh",
                        "-c",
                        "mkdir -p -- \"$1\" && cd -- \"$1\" && exec /bin/sh -c \"$2\"",
                        "sh",
                        workdir,
                        run.step().command());
    }

    private static void check(Run run, Completion completion, OutputTail tail) {
        switch (completion) {
            case Completion.Exited(var exitCode) -> {
                if (exitCode != 0) {
                    throw failed(run, "exit code " + exitCode + "\n" + tail.lines(), null);
                }
            }
            case Completion.OutOfMemory() -> throw failed(run, "out of memory\n" + tail.lines(), null);
            case Completion.TimedOut() -> throw failed(run, "ran longer than a step may\n" + tail.lines(), null);
            case Completion.Cancelled() -> throw new PlatformException(ErrorCode.CANCELLED, "the build was cancelled");
        }
    }

    private static PlatformException failed(Run run, String why, @org.jspecify.annotations.Nullable Throwable cause) {
        return new PlatformException(
                ErrorCode.IMAGE_BUILD_FAILED,
                "step %d (%s) failed: %s".formatted(run.number(), run.step().title(), why),
                cause);
    }
}
